import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { holdFactor } from "#lib/queue/claim.ts";
import { createEndpoint, publish, publishMany, type TestEndpoint } from "#test/helpers/factories.ts";
import { createTestDatabase } from "#test/helpers/postgres.ts";
import { type Receiver, startReceiver } from "#test/helpers/receiver.ts";
import { eventually, spawnWorker } from "#test/helpers/workers.ts";

const receiver: Receiver = await startReceiver();
const healthyEndpoints = 50;
const rounds = 4;
const concurrency = 16;

afterAll(() => receiver.close());

/** Publishes an event to each endpoint, round by round; returns the 95th percentile of the time until it arrived. */
async function firstAttemptP95Ms(
  endpoints: TestEndpoint[],
  publishTo: (to: TestEndpoint) => Promise<string>,
) {
  const publishedAt = new Map<string, number>();
  for (let round = 0; round < rounds; round += 1) {
    for (const to of endpoints) {
      const startedAt = performance.now();
      publishedAt.set(await publishTo(to), startedAt);
      await sleep(4);
    }
  }
  const arrived = await eventually(async () => {
    const found = receiver.requests("/healthy").flatMap(({ headers, receivedAt }) => {
      const at = publishedAt.get(headers[headers.indexOf("webhook-id") + 1] ?? "");
      return at === undefined ? [] : [receivedAt - at];
    });
    return found.length === publishedAt.size && found;
  });
  arrived.sort((a, b) => a - b);
  return arrived[Math.ceil(arrived.length * 0.95) - 1] as number;
}

test("case 24: one endpoint hangs with 10,000 due: fifty healthy ones are served about as fast as without it", async () => {
  const db = await createTestDatabase();
  const endpoints: TestEndpoint[] = [];
  while (endpoints.length < healthyEndpoints)
    endpoints.push(await createEndpoint(db.pool, { url: receiver.url("/healthy") }));
  receiver.script("/hangs", { hang: true });
  // Longer than the test, or its breaker would open and make it easy.
  const hanging = await createEndpoint(db.pool, {
    url: receiver.url("/hangs"),
    concurrency,
    timeoutMs: 60_000,
  });
  await spawnWorker(db.url);
  const publishTo = (to: TestEndpoint) => publish(db.pool, { affiliate: to.affiliateKey });
  await firstAttemptP95Ms(endpoints, publishTo);
  const idleMs = await firstAttemptP95Ms(endpoints, publishTo);

  await publishMany(db.pool, { affiliate: hanging.affiliateKey, count: 10_000 });
  await eventually(async () => {
    const { rows } = await db.pool.query(
      "select count(*)::int as n from posthorn.deliveries where endpoint_id = $1",
      [hanging.id],
    );
    return rows[0].n === 10_000;
  }, 25_000);
  await receiver.waitFor("/hangs", concurrency);
  const besideMs = await firstAttemptP95Ms(endpoints, publishTo);
  // The aim is twice, or 50 ms more, which the bench measures; here a machine may be busy with other things. Behind the
  // hanging one they would wait for its timeout.
  expect(besideMs).toBeLessThanOrEqual(Math.max(5 * idleMs, idleMs + 3_000));

  // None has ended, so what came is what is on the wire.
  expect(receiver.requests("/hangs")).toHaveLength(concurrency);
  const { rows } = await db.pool.query(
    `select h.in_flight, h.breaker, (select count(*)::int from posthorn.deliveries d
       where d.endpoint_id = h.endpoint_id and d.state = 'in_flight') as leased
     from posthorn.endpoint_health h where h.endpoint_id = $1`,
    [hanging.id],
  );
  expect(rows).toEqual([{ in_flight: rows[0].leased, breaker: "closed", leased: rows[0].leased }]);
  expect(rows[0].leased).toBeLessThanOrEqual(concurrency * holdFactor);
}, 90_000);
