import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeEach, expect, test } from "vitest";
import { maxTimeoutMs } from "#lib/endpoints/schema.ts";
import { createSender } from "#lib/http/send.ts";
import { createLogger } from "#lib/log.ts";
import { fanOut } from "#lib/queue/fan-out.ts";
import { workerManners } from "#scripts/start.ts";
import {
  createEndpoint,
  fanOutOptions,
  publish,
  publishMany,
  testSecretKey,
} from "#test/helpers/factories.ts";
import { createTestDatabase, type TestDatabase } from "#test/helpers/postgres.ts";
import { type Receiver, startReceiver } from "#test/helpers/receiver.ts";
import { eventually, spawnWorker, startWorker } from "#test/helpers/workers.ts";
import { startMaintenance } from "#worker/maintenance.ts";

/** What is not done any more once a worker is told to stop, however busy it is. */
const receiver: Receiver = await startReceiver();
let db: TestDatabase;

beforeEach(async () => {
  db = await createTestDatabase();
});
afterAll(() => receiver.close());

async function countOf(state: string): Promise<number> {
  const { rows } = await db.pool.query(
    "select count(*)::int as n from posthorn.deliveries where state = $1::posthorn.delivery_state",
    [state],
  );
  return rows[0].n;
}

/** A statement of ours waits for a lock. */
async function somebodyWaits(query: string): Promise<boolean> {
  const { rows } = await db.pool.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
    [`%${query}%`],
  );
  return rows.length > 0;
}

test("nothing new is sent while maintenance is still busy", async () => {
  receiver.script("/busy", { delayMs: 50, status: 200 });
  const endpoint = await createEndpoint(db.pool, { url: receiver.url("/busy"), concurrency: 2 });
  await publishMany(db.pool, { affiliate: endpoint.affiliateKey, count: 2_000 });
  await db.pool.query(
    `insert into posthorn.workers (hostname, pid, version, lease_until) values ('old', 1, 'old', now() - interval '60 days')`,
  );
  const client = await db.pool.connect();
  try {
    await client.query("begin");
    await client.query("select from posthorn.workers where hostname = 'old' for update");
    const worker = await spawnWorker(db.url);
    await eventually(() => somebodyWaits("delete from posthorn.workers"));
    await receiver.waitFor("/busy", 10);
    const ended = worker.end("SIGTERM");
    await eventually(async () => (await countOf("in_flight")) === 0);
    const sent = receiver.requests("/busy").length;
    await sleep(500);
    expect(receiver.requests("/busy")).toHaveLength(sent);
    await client.query("rollback");
    expect(await ended).toBe(0);
    expect(await countOf("delivered")).toBe(sent);
  } finally {
    client.release(true);
  }
}, 60_000);

test("maintenance in batches ends with the batch that it is at", async () => {
  const endpoint = await createEndpoint(db.pool, { url: receiver.url("/deleted") });
  await db.pool.query(
    `insert into posthorn.deliveries (event_id, event_received_at, event_type, affiliate_id, endpoint_id)
     select 'e' || i, now(), 'ftd', $1, $2 from generate_series(1, 30000) i`,
    [endpoint.affiliateId, endpoint.id],
  );
  await db.pool.query("update posthorn.endpoints set deleted_at = now() where id = $1", [endpoint.id]);
  const sender = createSender({ allowedSubnets: [] });
  const maintenance = startMaintenance({
    pool: db.pool,
    secretKeys: [testSecretKey],
    mayReap: () => true,
    notices: { sender, mailer: null, publicUrl: undefined },
    log: createLogger("test"),
  });
  await eventually(async () => (await countOf("discarded")) > 0);
  await maintenance.stop();
  await sender.close();
  const discarded = await countOf("discarded");
  expect(discarded).toBeLessThan(30_000);
  await sleep(300);
  expect(await countOf("discarded")).toBe(discarded);
}, 60_000);

test("what a claim brings after that goes back unsent", async () => {
  const endpoint = await createEndpoint(db.pool, { url: receiver.url("/late-claim") });
  for (let i = 0; i < 5; i++) await publish(db.pool, { affiliate: endpoint.affiliateKey });
  while ((await fanOut(db.pool, fanOutOptions)) > 0);
  const client = await db.pool.connect();
  try {
    await client.query("begin");
    await client.query("lock table posthorn.endpoint_health in access exclusive mode");
    const worker = await startWorker(db.url);
    await eventually(() => somebodyWaits("with recursive lane"));
    const stopped = worker.stop();
    await client.query("rollback");
    await stopped;
  } finally {
    client.release(true);
  }
  expect(receiver.requests("/late-claim")).toEqual([]);
  const { rows } = await db.pool.query(
    "select distinct state, attempt_number, attempts_charged from posthorn.deliveries",
  );
  expect(rows).toEqual([{ state: "pending", attempt_number: 0, attempts_charged: 0 }]);
});

test("a worker is not killed while a request of its may still be answered", () => {
  expect(workerManners.stopWithinSeconds).toBeGreaterThan(maxTimeoutMs / 1_000);
});
