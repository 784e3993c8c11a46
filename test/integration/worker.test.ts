import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { inClientTransaction } from "#lib/db/database.ts";
import { resendDelivery } from "#lib/queue/resend.ts";
import { heartbeatSeconds, leaseSeconds } from "#lib/queue/workers.ts";
import { createEndpoint, publish, publishMany } from "#test/helpers/factories.ts";
import { createTestDatabase, type TestDatabase } from "#test/helpers/postgres.ts";
import { type ReceivedRequest, type Receiver, startReceiver } from "#test/helpers/receiver.ts";
import { passTime } from "#test/helpers/time.ts";
import { eventually, spawnWorker, startWorker, waitForState } from "#test/helpers/workers.ts";

const receiver: Receiver = await startReceiver();
let db: TestDatabase;

beforeEach(async () => {
  db = await createTestDatabase();
});
afterAll(() => receiver.close());

let paths = 0;
const newPath = () => `/worker-${++paths}`;

const header = (request: ReceivedRequest, name: string) => {
  const at = request.headers.findIndex((value, i) => i % 2 === 0 && value.toLowerCase() === name);
  return at < 0 ? undefined : request.headers[at + 1];
};

async function deliveries() {
  const { rows } = await db.pool.query("select * from posthorn.deliveries order by id");
  return rows;
}

async function attempts() {
  const { rows } = await db.pool.query(
    "select * from posthorn.delivery_attempts order by delivery_id, number, started_at",
  );
  return rows;
}

const inFlight = async () => {
  const { rows } = await db.pool.query("select sum(in_flight)::int n from posthorn.endpoint_health");
  return rows[0].n;
};

describe("what an answer leads to", () => {
  test("a transient failure that never ends is a dead letter after the endpoint's attempts", async () => {
    const path = newPath();
    receiver.script(path, { status: 503 });
    const endpoint = await createEndpoint(db.pool, { url: receiver.url(path), maxAttempts: 3 });
    await startWorker(db.url);
    await publish(db.pool, { affiliate: endpoint.affiliateKey });
    for (let count = 1; count <= 2; count++) {
      await receiver.waitFor(path, count);
      await waitForState(db.pool, "failed", 1);
      await passTime(db.pool, 3_600);
    }
    await waitForState(db.pool, "dead_letter", 1);
    expect(receiver.requests(path)).toHaveLength(3);
    expect(await deliveries()).toMatchObject([{ reason: "server_error", attempts_charged: 3 }]);
  });

  test("a server that hangs costs the endpoint's timeout and is tried again", async () => {
    const path = newPath();
    receiver.script(path, { hang: true });
    const endpoint = await createEndpoint(db.pool, { url: receiver.url(path), timeoutMs: 1_000 });
    await startWorker(db.url);
    await publish(db.pool, { affiliate: endpoint.affiliateKey });
    await waitForState(db.pool, "failed", 1);
    const [attempt] = await attempts();
    expect(attempt).toMatchObject({ outcome: "transient", reason: "timeout", status: null });
    expect(attempt.duration_ms).toBeGreaterThanOrEqual(990);
  });

  test("an event whose data has been purged is a dead letter that says so, without a request", async () => {
    const path = newPath();
    const endpoint = await createEndpoint(db.pool, { url: receiver.url(path) });
    await publish(db.pool, { affiliate: endpoint.affiliateKey });
    await db.pool.query("delete from posthorn.event_bodies");
    const worker = await startWorker(db.url);
    await waitForState(db.pool, "dead_letter", 1);
    expect(await deliveries()).toMatchObject([{ reason: "body_purged" }]);
    expect(receiver.requests(path)).toHaveLength(0);
    // It took no time at their side, and must not make them look fast.
    await publish(db.pool, { affiliate: endpoint.affiliateKey });
    await waitForState(db.pool, "delivered", 1);
    await worker.stop();
    const { rows } = await db.pool.query(
      "select attempts from posthorn.endpoint_latency where endpoint_id = $1 and resolution = 'hour'",
      [endpoint.id],
    );
    expect(rows).toEqual([{ attempts: 1 }]);
  });

  test("a delivered one stays delivered when its resend fails, and the failure is recorded", async () => {
    const path = newPath();
    receiver.script(path, { status: 200 }, { status: 404 });
    const endpoint = await createEndpoint(db.pool, { url: receiver.url(path) });
    await startWorker(db.url);
    await publish(db.pool, { affiliate: endpoint.affiliateKey });
    await waitForState(db.pool, "delivered", 1);
    const [delivery] = await deliveries();
    expect(await inClientTransaction(db.pool, (client) => resendDelivery(client, delivery.id))).toBe(
      "resent",
    );
    await receiver.waitFor(path, 2);
    await waitForState(db.pool, "delivered", 1);
    expect((await attempts()).map((attempt) => attempt.outcome)).toEqual(["delivered", "permanent"]);
  });
});

describe("secrets and settings", () => {
  test("every secret that the endpoint has signs, and an edit holds from the next claim on", async () => {
    const [first, second] = [newPath(), newPath()];
    const endpoint = await createEndpoint(db.pool, { url: receiver.url(first) });
    await startWorker(db.url);
    await publish(db.pool, { affiliate: endpoint.affiliateKey });
    await receiver.waitFor(first, 1);
    await db.pool.query("update posthorn.endpoints set url = $1", [receiver.url(second)]);
    await publish(db.pool, { affiliate: endpoint.affiliateKey });
    const [request] = (await receiver.waitFor(second, 1)) as [ReceivedRequest];
    expect(header(request, "webhook-signature")?.split(" ")).toHaveLength(1);
    const age = Date.now() / 1_000 - Number(header(request, "webhook-timestamp"));
    expect(Math.abs(age)).toBeLessThan(5);
  });

  test("a secret that cannot be decrypted sends nothing, and gives the attempt back", async () => {
    const path = newPath();
    const endpoint = await createEndpoint(db.pool, { url: receiver.url(path) });
    await db.pool.query(
      "update posthorn.endpoint_secrets set ciphertext = overlay(ciphertext placing '\\x00' from 40)",
    );
    await startWorker(db.url);
    await publish(db.pool, { affiliate: endpoint.affiliateKey });
    await eventually(async () => {
      const [delivery] = await deliveries();
      return delivery?.state === "pending" && delivery.next_attempt_at > new Date() ? delivery : null;
    });
    expect(await deliveries()).toMatchObject([{ attempt_number: 0, attempts_charged: 0 }]);
    expect(await inFlight()).toBe(0);
    expect(receiver.requests(path)).toHaveLength(0);
  });
});

describe("several workers", () => {
  test("two processes at once never send one delivery twice", async () => {
    const path = newPath();
    const endpoint = await createEndpoint(db.pool, { url: receiver.url(path), concurrency: 64 });
    await Promise.all([spawnWorker(db.url), spawnWorker(db.url)]);
    const ids = await publishMany(db.pool, { affiliate: endpoint.affiliateKey, count: 2_000 });
    await waitForState(db.pool, "delivered", 2_000, 30_000);
    const received = receiver.requests(path).map((request) => header(request, "webhook-id"));
    expect(received).toHaveLength(2_000);
    expect(new Set(received)).toEqual(new Set(ids));
    expect(await inFlight()).toBe(0);
    const { rows } = await db.pool.query(
      "select count(distinct worker_id)::int n from posthorn.delivery_attempts",
    );
    expect(rows[0].n).toBe(2);
    const [request] = receiver.requests(path) as [ReceivedRequest];
    expect(() =>
      new Webhook(endpoint.secret).verify(request.body, {
        "webhook-id": header(request, "webhook-id") as string,
        "webhook-timestamp": header(request, "webhook-timestamp") as string,
        "webhook-signature": header(request, "webhook-signature") as string,
      }),
    ).not.toThrow();
  });

  test("a worker goes on by itself after the database dropped every connection", async () => {
    const path = newPath();
    const endpoint = await createEndpoint(db.pool, { url: receiver.url(path) });
    await startWorker(db.url);
    await publish(db.pool, { affiliate: endpoint.affiliateKey });
    await receiver.waitFor(path, 1);
    await db.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name like 'posthorn-worker%' or application_name = 'posthorn-listen'`,
    );
    await publish(db.pool, { affiliate: endpoint.affiliateKey });
    await receiver.waitFor(path, 2);
    await waitForState(db.pool, "delivered", 2);
    expect(await inFlight()).toBe(0);
  });

  test("a worker renews its lease while requests are long", async () => {
    const path = newPath();
    receiver.script(path, { delayMs: (heartbeatSeconds + 1.5) * 1_000, status: 200 });
    const endpoint = await createEndpoint(db.pool, { url: receiver.url(path), timeoutMs: 15_000 });
    await startWorker(db.url);
    await publish(db.pool, { affiliate: endpoint.affiliateKey });
    await receiver.waitFor(path, 1);
    await passTime(db.pool, leaseSeconds - heartbeatSeconds - 1);
    await sleep((heartbeatSeconds + 0.5) * 1_000);
    const { rows } = await db.pool.query(
      "select lease_until > now() + interval '10 seconds' as renewed from posthorn.workers",
    );
    expect(rows).toEqual([{ renewed: true }]);
    await waitForState(db.pool, "delivered", 1);
  });
});

describe("wake-up", () => {
  test("polling alone picks work up within a second", async () => {
    const path = newPath();
    const endpoint = await createEndpoint(db.pool, { url: receiver.url(path) });
    await startWorker(db.url);
    await sleep(300);
    const startedAt = performance.now();
    await publish(db.pool, { affiliate: endpoint.affiliateKey });
    const [request] = (await receiver.waitFor(path, 1)) as [ReceivedRequest];
    expect(request.receivedAt - startedAt).toBeLessThan(1_000);
  });
});
