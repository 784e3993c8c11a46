import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { databaseProblem } from "#lib/api/database-errors.ts";
import { createDatabase, inClientTransaction } from "#lib/db/database.ts";
import { leaseSeconds } from "#lib/queue/workers.ts";
import { startDatabaseProxy } from "#test/helpers/database-proxy.ts";
import { createEndpoint, publish, publishMany } from "#test/helpers/factories.ts";
import { createTestDatabase, type TestDatabase } from "#test/helpers/postgres.ts";
import { type ReceivedRequest, type Receiver, startReceiver } from "#test/helpers/receiver.ts";
import { eventually, spawnWorker, waitForState } from "#test/helpers/workers.ts";

/** Cases 28 to 30 and 33: real worker processes, really killed and stopped. 31 is in survival-database, 32 in chaos. */
const receiver: Receiver = await startReceiver();
let db: TestDatabase;

beforeEach(async () => {
  db = await createTestDatabase();
});
afterAll(() => receiver.close());

let paths = 0;
const newPath = () => `/survival-${++paths}`;

const headersOf = (request: ReceivedRequest) =>
  Object.fromEntries(
    request.headers.flatMap((name, i) =>
      i % 2 ? [] : [[name.toLowerCase(), request.headers[i + 1] as string]],
    ),
  );
const idOf = (request: ReceivedRequest) => headersOf(request)["webhook-id"];

async function deliveries() {
  const { rows } = await db.pool.query("select * from posthorn.deliveries order by id");
  return rows;
}

async function attempts() {
  const { rows } = await db.pool.query(
    `select a.*, d.event_id from posthorn.delivery_attempts a join posthorn.deliveries d on d.id = a.delivery_id
     order by a.delivery_id, a.number, a.started_at`,
  );
  return rows;
}

/** Nothing is held by anybody any more, and every counter says so. */
async function expectNothingHeld() {
  expect((await deliveries()).filter((row) => row.lease_token !== null || row.leased_by !== null)).toEqual(
    [],
  );
  const { rows } = await db.pool.query("select sum(in_flight)::int n from posthorn.endpoint_health");
  expect(rows).toEqual([{ n: 0 }]);
}

test("case 28: kill -9 with 50 requests in flight: each is attempted again within 60 s, with the same id", async () => {
  const path = newPath();
  receiver.script(path, ...Array(50).fill({ hang: true }), { status: 200 });
  const endpoint = await createEndpoint(db.pool, {
    url: receiver.url(path),
    concurrency: 50,
    timeoutMs: 60_000,
  });
  const doomed = await spawnWorker(db.url);
  const ids = await publishMany(db.pool, { affiliate: endpoint.affiliateKey, count: 70 });
  const inFlight = new Set((await receiver.waitFor(path, 50)).map(idOf));
  expect(await doomed.end("SIGKILL")).toBe("SIGKILL");
  const killedAt = performance.now();
  await spawnWorker(db.url);
  await waitForState(db.pool, "delivered", 70, 60_000);

  const again = receiver.requests(path).slice(50);
  expect(new Set(again.map(idOf))).toEqual(new Set(ids));
  const late = again.filter(
    (request) => inFlight.has(idOf(request)) && request.receivedAt - killedAt > 60_000,
  );
  expect(late).toEqual([]);
  const recorded = await attempts();
  const lost = recorded.filter((attempt) => attempt.outcome === "worker_lost");
  expect(new Set(lost.map((attempt) => attempt.event_id))).toEqual(new Set(ids));
  expect(recorded.filter((attempt) => attempt.outcome === "delivered")).toHaveLength(70);
  expect((await deliveries()).every((delivery) => delivery.attempts_charged === 1)).toBe(true);
  await expectNothingHeld();
}, 120_000);

describe("case 29: a worker stopped past its lease while another takes over, then continued", () => {
  const stoppedForMs = (leaseSeconds + 8) * 1_000;

  test("marks nothing, sends nothing of what it had waiting, and its late attempts are recorded", async () => {
    const path = newPath();
    // The two on the wire are answered after the worker has renewed its lease: what waits behind them is not its own.
    // One of them would be marked as delivered, the other rescheduled.
    const delayMs = stoppedForMs + 7_000;
    receiver.script(path, { delayMs }, { delayMs, status: 500 }, { status: 200 });
    const endpoint = await createEndpoint(db.pool, {
      url: receiver.url(path),
      concurrency: 2,
      timeoutMs: 60_000,
    });
    const ids = await publishMany(db.pool, { affiliate: endpoint.affiliateKey, count: 8 });
    const stopped = await spawnWorker(db.url);
    const onWire = (await receiver.waitFor(path, 2)).map(idOf);
    await eventually(async () => (await deliveries()).every((row) => row.leased_by === stopped.id));
    stopped.child.kill("SIGSTOP");
    await spawnWorker(db.url);
    await waitForState(db.pool, "delivered", 8, stoppedForMs + 5_000);
    const settled = await deliveries();
    stopped.child.kill("SIGCONT");
    await eventually(async () => (await attempts()).filter((attempt) => attempt.late).length === 2, 30_000);
    expect(await stopped.end("SIGTERM")).toBe(0);

    expect(await deliveries()).toEqual(settled);
    expect(receiver.requests(path)).toHaveLength(10);
    const recorded = await attempts();
    const late = recorded.filter((attempt) => attempt.late);
    expect(late.map((attempt) => attempt.event_id)).toEqual(onWire.toSorted(byOrder(ids)));
    expect(late.map((attempt) => attempt.outcome).sort()).toEqual(["delivered", "transient"]);
    expect(recorded.filter((attempt) => !attempt.late && attempt.outcome === "delivered")).toHaveLength(8);
    expect(recorded.filter((attempt) => attempt.outcome === "worker_lost")).toHaveLength(8);
    await expectNothingHeld();
  }, 120_000);

  test("the only worker keeps its own: nothing is taken from it, and nothing repeated", async () => {
    const path = newPath();
    receiver.script(path, ...Array(2).fill({ delayMs: 2_000 }), { status: 200 });
    const endpoint = await createEndpoint(db.pool, {
      url: receiver.url(path),
      concurrency: 2,
      timeoutMs: 60_000,
    });
    await publishMany(db.pool, { affiliate: endpoint.affiliateKey, count: 8 });
    const only = await spawnWorker(db.url);
    await receiver.waitFor(path, 2);
    only.child.kill("SIGSTOP");
    await sleep(stoppedForMs);
    only.child.kill("SIGCONT");
    await waitForState(db.pool, "delivered", 8, 60_000);
    expect(receiver.requests(path)).toHaveLength(8);
    expect((await attempts()).map((attempt) => [attempt.outcome, attempt.late])).toEqual(
      Array(8).fill(["delivered", false]),
    );
    await expectNothingHeld();
  }, 120_000);
});

test("case 30: SIGTERM under load: what is in flight is settled, the rest returned, exit 0, no lease left", async () => {
  const path = newPath();
  receiver.script(path, { delayMs: 300, status: 200 });
  const endpoint = await createEndpoint(db.pool, { url: receiver.url(path), concurrency: 8 });
  const worker = await spawnWorker(db.url);
  await publishMany(db.pool, { affiliate: endpoint.affiliateKey, count: 200 });
  await receiver.waitFor(path, 8);
  const askedAt = performance.now();
  expect(await worker.end("SIGTERM")).toBe(0);
  // The endpoint's request timeout is 5 s.
  expect(performance.now() - askedAt).toBeLessThan(5_000);
  const rows = await deliveries();
  expect(rows.filter((row) => row.state === "in_flight")).toEqual([]);
  const sent = receiver.requests(path).length;
  expect(rows.filter((row) => row.state === "delivered")).toHaveLength(sent);
  expect(rows.filter((row) => row.state === "pending" && row.attempt_number === 0)).toHaveLength(200 - sent);
  await expectNothingHeld();
});

test("a connection that breaks in a transaction fails the transaction, and not the process", async () => {
  const database = createDatabase({
    url: db.url,
    maxConnections: 1,
    applicationName: "posthorn-worker",
    statementTimeoutMs: 30_000,
    onError: () => undefined,
  });
  const work = inClientTransaction(database.pool, async (client) => {
    const { rows } = await client.query("select pg_backend_pid() as pid");
    await db.pool.query("select pg_terminate_backend($1)", [rows[0].pid]);
    // Between two statements, where none is there to fail in its place.
    await sleep(300);
    await client.query("select 1");
  });
  await expect(work).rejects.toThrow();
  expect((await database.pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  await database.pool.end();
});

test("a connection that a network lost without a word is given up, and made anew", async () => {
  const proxy = await startDatabaseProxy(db.url);
  const database = createDatabase({
    url: proxy.url,
    maxConnections: 1,
    applicationName: "posthorn-worker",
    statementTimeoutMs: 1_000,
    onError: () => undefined,
  });
  const ask = () => database.pool.query("select 1 as one");
  try {
    await ask();
    proxy.silence();
    await expect(inClientTransaction(database.pool, (client) => client.query("select 1"))).rejects.toThrow();
    expect((await ask()).rows).toEqual([{ one: 1 }]);
    proxy.silence();
    const error = await ask().catch((error) => error);
    expect(databaseProblem(error)).toMatchObject({ status: 503 });
    expect((await ask()).rows).toEqual([{ one: 1 }]);
  } finally {
    await database.pool.end();
    await proxy.close();
  }
});

test("case 33: a worker whose clock is an hour off delivers, signs and schedules as the others do", async () => {
  const path = newPath();
  const until = new Date(Date.now() + 120_000).toUTCString();
  receiver.script(path, { status: 503, headers: { "retry-after": until } }, { status: 200 });
  const endpoint = await createEndpoint(db.pool, { url: receiver.url(path), baseSeconds: 30 });
  const worker = await spawnWorker(db.url, { preload: "./test/helpers/wrong-clock.ts" });
  const itsTime = new Date(JSON.parse(worker.log()[0] as string).time).getTime();
  expect(itsTime - Date.now()).toBeGreaterThan(3_500_000);

  await publish(db.pool, { affiliate: endpoint.affiliateKey });
  const [request] = (await receiver.waitFor(path, 1, 15_000)) as [ReceivedRequest];
  // Throws when the time that is signed is more than five minutes off.
  new Webhook(endpoint.secret).verify(request.body, headersOf(request));
  await waitForState(db.pool, "failed", 1);
  const { rows } = await db.pool.query(
    `select extract(epoch from d.next_attempt_at - now())::float8 as wait, extract(epoch from now() - a.started_at)::float8 as age,
       extract(epoch from w.lease_until - now())::float8 as lease
     from posthorn.deliveries d join posthorn.delivery_attempts a on a.delivery_id = d.id join posthorn.workers w on w.id = a.worker_id`,
  );
  expect(rows).toHaveLength(1);
  expect(rows[0].wait).toBeGreaterThan(60);
  expect(rows[0].wait).toBeLessThan(180);
  expect(Math.abs(rows[0].age)).toBeLessThan(30);
  expect(rows[0].lease).toBeGreaterThan(0);
  expect(rows[0].lease).toBeLessThanOrEqual(leaseSeconds);
});

/** In the order of a list. */
function byOrder(ids: string[]): (a: string | undefined, b: string | undefined) => number {
  return (a, b) => ids.indexOf(a ?? "") - ids.indexOf(b ?? "");
}
