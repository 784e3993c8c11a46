import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { setUpApi } from "#test/helpers/api.ts";
import { createEndpoint, publish, publishMany, type TestEndpoint } from "#test/helpers/factories.ts";
import {
  type ReceivedRequest,
  type Receiver,
  type ReceiverStep,
  startReceiver,
} from "#test/helpers/receiver.ts";
import { passTime } from "#test/helpers/time.ts";
import { eventually, startWorker } from "#test/helpers/workers.ts";
import { POST as resend } from "../../app/api/v1/deliveries/[id]/resend/route.ts";
import * as delivery from "../../app/api/v1/deliveries/[id]/route.ts";

const receiver: Receiver = await startReceiver();
const api = setUpApi();
let path = "";
let paths = 0;

beforeEach(async () => {
  path = `/resend-${++paths}`;
  // Two, as a double send is most likely between them.
  await Promise.all([startWorker(api.database.url), startWorker(api.database.url)]);
});
afterAll(() => receiver.close());

function answering(...steps: ReceiverStep[]): Promise<TestEndpoint> {
  receiver.script(path, ...steps);
  return createEndpoint(api.database.pool, { url: receiver.url(path) });
}

const press = (id: string) => api.call(resend, { method: "POST", params: { id } });
const shown = async (id: string) => (await api.call(delivery.GET, { params: { id } })).body;

async function allIn(of: TestEndpoint, state: string, count = 1): Promise<string[]> {
  return eventually(async () => {
    const { rows } = await api.database.pool.query(
      "select id, state from posthorn.deliveries where endpoint_id = $1 order by id",
      [of.id],
    );
    return rows.length === count && rows.every((row) => row.state === state) && rows.map(({ id }) => id);
  });
}

const attemptOf = (request: ReceivedRequest) =>
  Number(request.headers[request.headers.indexOf("posthorn-attempt") + 1]);

/** What was sent and recorded: each once, with the numbers from 1 on. */
async function expectAttempts(id: string, outcomes: string[]): Promise<void> {
  const numbers = outcomes.map((_, i) => i + 1);
  const { attempts, attempt_number } = await shown(id);
  expect(attempts.map((attempt: { outcome: string }) => attempt.outcome)).toEqual(outcomes);
  expect(attempts.map((attempt: { number: number }) => attempt.number)).toEqual(numbers);
  expect(attempt_number).toBe(outcomes.length);
}

describe("case 34: resending by hand while an automatic retry is scheduled", () => {
  test("brings the retry forward: one request, the next number, and nothing at the time it was scheduled for", async () => {
    const to = await answering({ status: 500 }, { status: 200 });
    await publish(api.database.pool, { affiliate: to.affiliateKey });
    const [id] = (await allIn(to, "failed")) as [string];
    expect((await press(id)).status).toBe(200);
    await allIn(to, "delivered");
    await expectAttempts(id, ["transient", "delivered"]);
    await passTime(api.database.pool, 7_200);
    await sleep(500);
    expect(receiver.requests(path).map(attemptOf)).toEqual([1, 2]);
  });

  test("gives it its attempts back, which go on by number", async () => {
    const to = await answering({ status: 500 }, { status: 500 }, { status: 200 });
    await publish(api.database.pool, { affiliate: to.affiliateKey });
    const [id] = (await allIn(to, "failed")) as [string];
    await press(id);
    await receiver.waitFor(path, 2);
    await allIn(to, "failed");
    expect(await shown(id)).toMatchObject({ attempt_number: 2, attempts_charged: 1 });
    await passTime(api.database.pool, 3_600);
    await allIn(to, "delivered");
    await expectAttempts(id, ["transient", "transient", "delivered"]);
    expect(receiver.requests(path).map(attemptOf)).toEqual([1, 2, 3]);
  });

  test("pressed twice, or eight times at once: one resend, one request, one line in the audit log", async () => {
    const to = await answering({ status: 500 }, { status: 200, delayMs: 300 });
    await publish(api.database.pool, { affiliate: to.affiliateKey });
    const [id] = (await allIn(to, "failed")) as [string];
    const answers = await Promise.all(Array.from({ length: 8 }, () => press(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    for (const { status, body } of answers) {
      if (status === 409) expect(["already_waiting", "in_flight"]).toContain(body.code);
    }
    expect((await press(id)).status).toBe(409);
    await allIn(to, "delivered");
    await expectAttempts(id, ["transient", "delivered"]);
    expect(receiver.requests(path)).toHaveLength(2);
    const { rows } = await api.database.pool.query(
      "select count(*)::int as n from posthorn.audit_log where object_id = $1 and action = 'delivery.resend'",
      [id],
    );
    expect(rows).toEqual([{ n: 1 }]);
  });

  test("in the moment that the retry is due: it goes by one of the two, never by both", async () => {
    const count = 8;
    const to = await answering(...Array(count).fill({ status: 400 }), { status: 200, delayMs: 500 });
    await publishMany(api.database.pool, { affiliate: to.affiliateKey, count });
    const ids = await allIn(to, "dead_letter", count);
    // As if each had been retried, not given up.
    await api.database.pool.query(
      `update posthorn.deliveries set state = 'failed', ended_at = null, next_attempt_at = now() + interval '100 ms'
       where endpoint_id = $1`,
      [to.id],
    );
    await sleep(90);
    const answers = await Promise.all(ids.map(press));
    for (const { status } of answers) expect([200, 409]).toContain(status);
    await allIn(to, "delivered", count);
    for (const id of ids) await expectAttempts(id, ["permanent", "delivered"]);
    expect(receiver.requests(path)).toHaveLength(2 * count);
  });
});
