import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fanOut } from "#lib/queue/fan-out.ts";
import { createEndpoint, fanOutOptions, publishMany } from "#test/helpers/factories.ts";
import { createTestDatabase, type TestDatabase } from "#test/helpers/postgres.ts";
import { eventually, spawnWorker, startWorker, waitForState } from "#test/helpers/workers.ts";

/** What several workers make of one endpoint's limits. */
let db: TestDatabase;
let server: ReturnType<typeof createServer>;
let answerAfterMs = 0;
let [onWire, peak] = [0, 0];
const answers = new Set<NodeJS.Timeout>();

beforeEach(async () => {
  db = await createTestDatabase();
  [onWire, peak] = [0, 0];
  server = createServer((request, response) => {
    onWire++;
    peak = Math.max(peak, onWire);
    request.resume();
    const answer = setTimeout(() => {
      answers.delete(answer);
      onWire--;
      response.end();
    }, answerAfterMs);
    answers.add(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  for (const answer of answers) clearTimeout(answer);
  answers.clear();
  server.closeAllConnections();
  server.close();
});

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

async function endpointWith(count: number, options: { concurrency: number; timeoutMs?: number }) {
  const endpoint = await createEndpoint(db.pool, { url: url(), ...options });
  await publishMany(db.pool, { affiliate: endpoint.affiliateKey, count });
  while ((await fanOut(db.pool, fanOutOptions)) > 0);
  return endpoint;
}

test("workers that start together keep to an endpoint's concurrency from the first request on", async () => {
  answerAfterMs = 300;
  await endpointWith(200, { concurrency: 16 });
  await Promise.all([1, 2, 3, 4].map(() => startWorker(db.url)));
  await waitForState(db.pool, "delivered", 200, 30_000);
  expect(peak).toBeLessThanOrEqual(16);
}, 60_000);

test("a worker that joins sends once the others have made room, before their next heartbeat", async () => {
  answerAfterMs = 100;
  await endpointWith(400, { concurrency: 16 });
  await startWorker(db.url);
  await sleep(1_000);
  expect(peak).toBe(16);
  await startWorker(db.url);
  await waitForState(db.pool, "delivered", 400, 30_000);
  expect(peak).toBe(16);
}, 60_000);

test("under a rate, every send starts within a second of taking its token", async () => {
  answerAfterMs = 1_500;
  await Promise.all([1, 2].map(() => startWorker(db.url)));
  const endpoint = await endpointWith(0, { concurrency: 8 });
  await db.pool.query(
    "update posthorn.endpoints set rate_amount = 20, rate_period_seconds = 1, rate_burst = 16 where id = $1",
    [endpoint.id],
  );
  await publishMany(db.pool, { affiliate: endpoint.affiliateKey, count: 24 });
  await waitForState(db.pool, "delivered", 24, 30_000);
  const { rows } = await db.pool.query(
    `select max(extract(epoch from a.started_at - d.last_attempt_at))::float8 as longest,
       count(*)::int as attempts, max(d.attempts_charged) as charged
     from posthorn.deliveries d join posthorn.delivery_attempts a on a.delivery_id = d.id`,
  );
  expect(rows[0].longest).toBeLessThanOrEqual(1);
  expect(rows[0]).toMatchObject({ attempts: 24, charged: 1 });
}, 60_000);

test("endpoints of one origin do not wait for each other's connections", async () => {
  answerAfterMs = 20_000;
  const busy = await endpointWith(256, { concurrency: 256, timeoutMs: 30_000 });
  await spawnWorker(db.url, { slots: 300 });
  await eventually(async () => onWire === 256);
  await endpointWith(1, { concurrency: 1 });
  await eventually(async () => onWire === 257);
  const { rows } = await db.pool.query(
    "select count(*)::int as n from posthorn.delivery_attempts where endpoint_id = $1",
    [busy.id],
  );
  expect(rows).toEqual([{ n: 0 }]);
}, 60_000);
