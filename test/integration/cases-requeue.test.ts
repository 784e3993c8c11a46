import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setUpApi } from "#test/helpers/api.ts";
import { makeDeadLetters } from "#test/helpers/dead-letters.ts";
import { createEndpoint, type TestEndpoint } from "#test/helpers/factories.ts";
import { startReceiver } from "#test/helpers/receiver.ts";
import { eventually, spawnWorker } from "#test/helpers/workers.ts";
import { POST as cancel } from "../../app/api/v1/requeues/[id]/cancel/route.ts";
import { GET as get } from "../../app/api/v1/requeues/[id]/route.ts";
import { POST as preview } from "../../app/api/v1/requeues/preview/route.ts";
import { POST as create } from "../../app/api/v1/requeues/route.ts";

const api = setUpApi();
const receiver = await startReceiver();
afterAll(() => receiver.close());

const count = 50_000;
const cancelled = 5_000;
const requestId = "01890a5d-ac96-774b-bcce-b302099a8057";
const reason = "It answers again";

const statesOf = async ({ id }: TestEndpoint) => {
  const { rows } = await api.database.pool.query(
    "select state, count(*)::int as n from posthorn.deliveries where endpoint_id = $1 group by state",
    [id],
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
};
const shown = async (id: string) => (await api.call(get, { params: { id } })).body;

/** An endpoint to which nothing is sent, so that what is put back for it stays there to be counted. */
async function quietEndpoint(dead: number): Promise<TestEndpoint> {
  const endpoint = await createEndpoint(api.database.pool, { url: receiver.url("/quiet") });
  await api.database.pool.query(
    "update posthorn.endpoint_health set ready_at = 'infinity' where endpoint_id = $1",
    [endpoint.id],
  );
  await makeDeadLetters(api.database.pool, { endpoint, count: dead });
  return endpoint;
}

describe("case 35: a requeue of 50,000", () => {
  let endpoint: TestEndpoint;
  beforeAll(async () => {
    endpoint = await quietEndpoint(count);
  });

  test("does what its preview says, each once, though pressed twice and its worker killed half-way; what died since is not in it", async () => {
    const filter = { endpoint: endpoint.id };
    const { body: seen } = await api.call(preview, { body: { filter } });
    expect(seen).toMatchObject({ total: count, accepted: count, refused: [], overlaps: [] });
    await makeDeadLetters(api.database.pool, { endpoint, count: 10, diedAt: "now()" });
    const body = { filter, reason, as_of: seen.as_of, request_id: requestId };
    const answers = await Promise.all([api.call(create, { body }), api.call(create, { body })]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    const [id, again] = answers.map((answer) => answer.body.id) as [string, string];
    expect(again).toBe(id);

    const worker = await spawnWorker(api.database.url);
    await eventually(async () => (await shown(id)).done >= count / 2, 60_000);
    await worker.end("SIGKILL");
    const { done, state } = await shown(id);
    expect([state, done < count]).toEqual(["running", true]);
    // What was done and how far it says to be came with one commit.
    expect(await statesOf(endpoint)).toEqual({ pending: done, dead_letter: count + 10 - done });

    await spawnWorker(api.database.url);
    await eventually(async () => (await shown(id)).state === "completed", 100_000);
    expect(await shown(id)).toMatchObject({ total: count, done: count, refused: [], failed: [] });
    expect(await statesOf(endpoint)).toEqual({ pending: count, dead_letter: 10 });
    const { rows } = await api.database.pool.query(
      "select count(*)::int as n from posthorn.audit_log where action = 'requeue.create'",
    );
    expect(rows).toEqual([{ n: 1 }]);
    // Some 20 s where nothing else runs.
  }, 180_000);

  test("cancelled on the way it stops where it is, and what it did not come to can be put back by another", async () => {
    await api.database.pool.query(
      "update posthorn.deliveries set state = 'dead_letter', ended_at = now() where endpoint_id = $1",
      [endpoint.id],
    );
    const body = { filter: { endpoint: endpoint.id }, reason };
    const { body: made } = await api.call(create, { body });
    const all = made.total;
    expect(all).toBeGreaterThanOrEqual(count);
    await spawnWorker(api.database.url);
    await eventually(async () => (await shown(made.id)).done >= count / 3, 60_000);
    const { body: ended } = await api.call(cancel, { method: "POST", params: { id: made.id } });
    expect(ended.state).toBe("cancelled");
    expect(ended.done).toBeLessThan(count);
    await sleep(700);
    expect(await shown(made.id)).toMatchObject({ state: "cancelled", done: ended.done });
    expect(await statesOf(endpoint)).toEqual({ pending: ended.done, dead_letter: all - ended.done });
    const { body: rest } = await api.call(preview, { body: { filter: body.filter } });
    expect(rest).toMatchObject({ total: all - ended.done, accepted: all - ended.done, overlaps: [] });
  }, 120_000);

  test("keeps its rate, and stops where it is when it is cancelled", async () => {
    const rate = 400;
    const to = await quietEndpoint(cancelled);
    const body = { filter: { endpoint: to.id }, reason, rate_per_second: rate };
    const { body: made } = await api.call(create, { body });
    const begun = performance.now();
    await spawnWorker(api.database.url);
    const most = () => 1.5 * rate + (rate * (performance.now() - begun)) / 1_000;
    await eventually(async () => (await shown(made.id)).done > 0);
    const first = { atMs: performance.now(), done: (await shown(made.id)).done };
    for (let i = 0; i < 30; i++) {
      await sleep(100);
      const { done } = await shown(made.id);
      expect(done).toBeLessThan(most());
    }
    // Half of it, since a batch that comes late on a busy machine is not caught up.
    const { done } = await shown(made.id);
    expect(done - first.done).toBeGreaterThan((0.5 * rate * (performance.now() - first.atMs)) / 1_000);
    const { body: ended, status } = await api.call(cancel, { method: "POST", params: { id: made.id } });
    expect([status, ended.state]).toEqual([200, "cancelled"]);
    expect(ended.done).toBeLessThan(cancelled);
    await sleep(700);
    expect(await shown(made.id)).toMatchObject({ state: "cancelled", done: ended.done });
    expect(await statesOf(to)).toEqual({ pending: ended.done, dead_letter: cancelled - ended.done });
  });

  test("what fails again follows the retry schedule, with all of its attempts before it", async () => {
    receiver.script("/fails-again", { status: 503 });
    const to = await createEndpoint(api.database.pool, { url: receiver.url("/fails-again"), maxAttempts: 5 });
    await makeDeadLetters(api.database.pool, { endpoint: to, count: 3 });
    await api.call(create, { body: { filter: { endpoint: to.id }, reason } });
    await spawnWorker(api.database.url);
    await eventually(async () => (await statesOf(to)).failed === 3);
    const { rows } = await api.database.pool.query(
      `select attempt_number, attempts_charged, next_attempt_at > now() as later
       from posthorn.deliveries where endpoint_id = $1`,
      [to.id],
    );
    expect(rows).toEqual(Array(3).fill({ attempt_number: 6, attempts_charged: 1, later: true }));
  });
});
