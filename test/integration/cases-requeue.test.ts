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
const requestId = "01890a5d-ac96-774b-bcce-b302099a8057";
let endpoint: TestEndpoint;

const states = async (of: TestEndpoint) => {
  const { rows } = await api.database.pool.query(
    "select state, count(*)::int as n from posthorn.deliveries where endpoint_id = $1 group by state",
    [of.id],
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
};
const shown = async (id: string) => (await api.call(get, { params: { id } })).body;
const pause = (of: TestEndpoint, until: string) =>
  api.database.pool.query("update posthorn.endpoint_health set ready_at = $2 where endpoint_id = $1", [
    of.id,
    until,
  ]);

beforeAll(async () => {
  endpoint = await createEndpoint(api.database.pool, { url: receiver.url("/requeued") });
  await makeDeadLetters(api.database.pool, { endpoint, count });
});

describe("case 35: a requeue of 50,000", () => {
  test("the preview is what is done, once each, though a worker is killed half-way and the button pressed twice", async () => {
    // So that what is put back stays countable.
    await pause(endpoint, "infinity");
    const filter = { endpoint: endpoint.id };
    const t0 = performance.now();
    const { body: seen, status } = await api.call(preview, { body: { filter } });
    expect(status).toBe(200);
    expect(seen).toMatchObject({ total: count, accepted: count, refused: [], overlaps: [] });
    await makeDeadLetters(api.database.pool, { endpoint, count: 10 });
    await api.database.pool.query(
      "update posthorn.deliveries set ended_at = now() where endpoint_id = $1 and id in (select id from posthorn.deliveries order by id desc limit 10)",
      [endpoint.id],
    );
    const body = { filter, reason: "It answers again", as_of: seen.as_of, request_id: requestId };
    const t1 = performance.now();
    const answers = await Promise.all([api.call(create, { body }), api.call(create, { body })]);
    expect(answers.map((answer) => answer.status)).toEqual([201, 201]);
    const [id, again] = answers.map((answer) => answer.body.id) as [string, string];
    expect(again).toBe(id);
    const t2 = performance.now();
    const worker = await spawnWorker(api.database.url);
    await eventually(async () => (await shown(id)).done > 3_000);
    await worker.end("SIGKILL");
    const { done: atKill, state } = await shown(id);
    await spawnWorker(api.database.url);
    await eventually(async () => (await shown(id)).state === "completed");
    expect(await shown(id)).toMatchObject({ total: count, done: count, refused: [], failed: [] });
    expect(await states(endpoint)).toEqual({ pending: count, dead_letter: 10 });
  });
});
