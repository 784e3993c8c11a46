import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { inClientTransaction } from "#lib/db/database.ts";
import { type ClaimedRow, claim, firstLane, holdFactor } from "#lib/queue/claim.ts";
import { discardForDeletedEndpoints } from "#lib/queue/discard.ts";
import { loadEventTypeRules } from "#lib/queue/event-type-rules.ts";
import { fanOut } from "#lib/queue/fan-out.ts";
import { handBack, handBackStrays } from "#lib/queue/hand-back.ts";
import { publishEvents } from "#lib/queue/publish.ts";
import { reap } from "#lib/queue/reap.ts";
import { resendDelivery } from "#lib/queue/resend.ts";
import { settle } from "#lib/queue/settle.ts";
import { suspect } from "#lib/queue/suspect.ts";
import { heartbeat, registerWorker, retireWorker } from "#lib/queue/workers.ts";
import {
  createAffiliate,
  createEndpoint,
  fanOutOptions,
  publish,
  publishMany,
  type TestEndpoint,
} from "#test/helpers/factories.ts";
import { createTestDatabase, type TestDatabase } from "#test/helpers/postgres.ts";
import { failed, gone, resultOf } from "#test/helpers/settlements.ts";
import { passTime } from "#test/helpers/time.ts";

let db: TestDatabase;
let worker: string;
let token = 0;

beforeEach(async () => {
  db = await createTestDatabase();
  worker = await newWorker();
});

const newWorker = async () =>
  (await registerWorker(db.pool, { hostname: "test", pid: 1, version: "test" })).id;

const take = async (options: { want?: number; workerId?: string; after?: string } = {}) =>
  claim(db.pool, {
    after: options.after ?? firstLane,
    want: options.want ?? 500,
    workerId: options.workerId ?? worker,
    leaseToken: String(++token),
    workersAlive: 1,
  });

async function endpointWith(count: number, options: Partial<Parameters<typeof createEndpoint>[1]> = {}) {
  const endpoint = await createEndpoint(db.pool, { url: "http://127.0.0.1:9/", ...options });
  await publishMany(db.pool, { affiliate: endpoint.affiliateKey, count });
  while ((await fanOut(db.pool, fanOutOptions)) > 0);
  return endpoint;
}

const failure = { ...failed, delayMs: 60_000 } as const;

/** What their server answered, in bytes that need care. */
const answered = {
  firstByteMs: 1.5,
  durationMs: 2.5,
  responseHeaders: '["content-type","text/plain"]',
  responseBody: Buffer.from([0, 255, 92, 34]),
};

/** The row at an index that must exist. */
function at(rows: ClaimedRow[], index: number): ClaimedRow {
  const row = rows[index];
  if (!row) throw new Error(`no row ${index}`);
  return row;
}

const resend = (id: string) => inClientTransaction(db.pool, (client) => resendDelivery(client, id));

async function delivery(id: string) {
  const { rows } = await db.pool.query("select * from posthorn.deliveries where id = $1", [id]);
  return rows[0];
}

async function health(endpoint: TestEndpoint) {
  const { rows } = await db.pool.query("select * from posthorn.endpoint_health where endpoint_id = $1", [
    endpoint.id,
  ]);
  return rows[0];
}

async function attempts(id: string) {
  const { rows } = await db.pool.query(
    "select * from posthorn.delivery_attempts where delivery_id = $1 order by number, started_at",
    [id],
  );
  return rows;
}

describe("fan-out", () => {
  test("gives ids in order of acceptance, and each subscribed endpoint one delivery", async () => {
    const affiliate = await createAffiliate(db.pool);
    const all = await createEndpoint(db.pool, { url: "http://127.0.0.1:9/", affiliate });
    const some = await createEndpoint(db.pool, {
      url: "http://127.0.0.1:9/",
      affiliate,
      eventTypes: ["ftd"],
    });
    await createEndpoint(db.pool, { url: "http://127.0.0.1:9/" });
    const first = await publish(db.pool, { affiliate: affiliate.key, type: "deposit" });
    const second = await publish(db.pool, { affiliate: affiliate.key, type: "ftd" });
    expect(await fanOut(db.pool, fanOutOptions)).toBe(2);
    const { rows } = await db.pool.query("select event_id, endpoint_id from posthorn.deliveries order by id");
    expect(rows).toEqual([
      { event_id: first, endpoint_id: all.id },
      { event_id: second, endpoint_id: all.id },
      { event_id: second, endpoint_id: some.id },
    ]);
    expect(await fanOut(db.pool, fanOutOptions)).toBe(0);
  });

  test("several at once make each delivery once", async () => {
    const endpoint = await createEndpoint(db.pool, { url: "http://127.0.0.1:9/" });
    await publishMany(db.pool, { affiliate: endpoint.affiliateKey, count: 2_500 });
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let i = 0; i < 5; i++) await fanOut(db.pool, fanOutOptions);
      }),
    );
    while ((await fanOut(db.pool, fanOutOptions)) > 0);
    const { rows } = await db.pool.query(
      "select count(*)::int n, count(distinct event_id)::int d from posthorn.deliveries",
    );
    expect(rows[0]).toEqual({ n: 2_500, d: 2_500 });
  });
});

describe("fan-out of what came through SQL", () => {
  const fields =
    '[{"name":"click_id","kind":"string","required":true},{"name":"payout","kind":"decimal","required":false}]';
  const ruled = (rule: string) =>
    db.pool.query("update posthorn.event_types set fields = $1, invalid_data = $2 where name = 'ftd'", [
      fields,
      rule,
    ]);
  const publishBySql = (affiliate: string, data: string, type = "ftd") =>
    db.pool.query("select posthorn.publish(type => $1, affiliate => $2, data => $3, ordering_key => 'k')", [
      type,
      affiliate,
      data,
    ]);
  const states = async () =>
    (
      await db.pool.query(
        "select state, reason, blocked, ended_at is not null as ended from posthorn.deliveries order by id",
      )
    ).rows;
  const waiting = { state: "pending", reason: null, blocked: false, ended: false };
  const skipped = { state: "skipped", reason: "invalid_data", blocked: false, ended: true };

  test("skips what its type refuses, as rows that say so and hold nothing up", async () => {
    await ruled("refuse");
    const { affiliateKey } = await createEndpoint(db.pool, {
      url: "http://127.0.0.1:9/",
      ordering: "strict",
    });
    await publishBySql(affiliateKey, '{"payout":"1.50"}');
    await publishBySql(affiliateKey, '{"click_id":"c","payout":"a lot"}');
    await publishBySql(affiliateKey, '{"click_id":"c","payout":1.50}');
    await publishBySql(affiliateKey, "{}", "registration");
    await publishBySql(affiliateKey, '{"click_id":5}', "deposit");
    while ((await fanOut(db.pool, fanOutOptions)) > 0);
    const blocked = { ...waiting, blocked: true };
    expect(await states()).toEqual([skipped, skipped, waiting, blocked, skipped]);
    expect((await take()).rows).toHaveLength(1);
  });

  test("sends it where its type only warns, or where the API has checked it", async () => {
    const { affiliateKey } = await createEndpoint(db.pool, { url: "http://127.0.0.1:9/" });
    await ruled("warn");
    await publishBySql(affiliateKey, "{}");
    await fanOut(db.pool, fanOutOptions);
    await ruled("refuse");
    const item = { id: null, affiliate: affiliateKey, type: "ftd", occurredAt: null, orderingKey: null };
    const given = [{ ...item, data: Buffer.from("{}") }];
    const version = async () => (await loadEventTypeRules(db.pool, ["ftd"])).get("ftd")?.version ?? null;
    const used = await version();
    expect(await publishEvents(db.pool, given, { typeVersions: [used] })).toMatchObject([
      { outcome: "accepted" },
    ]);
    await fanOut(db.pool, fanOutOptions);
    expect(await states()).toEqual([waiting, waiting]);

    // By rules that have changed since, nothing is accepted: not what they did not concern, either.
    await ruled("refuse");
    expect(await version()).not.toBe(used);
    const other = { ...item, type: "deposit", data: Buffer.from("{}") };
    expect(await publishEvents(db.pool, [other, ...given], { typeVersions: [null, used] })).toMatchObject([
      { outcome: "type_changed" },
      { outcome: "type_changed" },
    ]);
    expect(await fanOut(db.pool, fanOutOptions)).toBe(0);
    expect((await db.pool.query("select from posthorn.event_keys")).rowCount).toBe(2);
  });

  test("of more events than are looked into at once, each by its own data", async () => {
    await ruled("refuse");
    const { affiliateKey } = await createEndpoint(db.pool, { url: "http://127.0.0.1:9/" });
    await db.pool.query(
      `select posthorn.publish('ftd', $1, (case when n % 3 = 0 then '{}' else '{"click_id":"c"}' end)::json)
       from generate_series(1, 250) n`,
      [affiliateKey],
    );
    while ((await fanOut(db.pool, fanOutOptions)) > 0);
    const expected = Array.from({ length: 250 }, (_, i) => ((i + 1) % 3 === 0 ? skipped : waiting));
    expect(await states()).toEqual(expected);
  });
});

describe("claim", () => {
  test("leases what is due, oldest first, and counts it in flight", async () => {
    const endpoint = await endpointWith(3);
    const { rows } = await take({ want: 2 });
    expect(rows.map((row) => [row.attemptNumber, row.attemptsCharged])).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect(rows.map((row) => Number(row.id))).toEqual(
      [...rows.map((row) => Number(row.id))].sort((a, b) => a - b),
    );
    expect(await delivery(at(rows, 0).id)).toMatchObject({ state: "in_flight", leased_by: worker });
    expect((await health(endpoint)).in_flight).toBe(2);
  });

  test("two workers at once never take one delivery twice", async () => {
    for (let i = 0; i < 5; i++) await endpointWith(100);
    const other = await newWorker();
    const taken: string[] = [];
    const drain = async (workerId: string) => {
      for (let empty = 0; empty < 3; ) {
        const { rows } = await take({ want: 7, workerId });
        taken.push(...rows.map((row) => row.id));
        if (rows.length === 0) empty++;
        if (rows.length > 0) await settle(db.pool, { workerId, results: rows.map((row) => resultOf(row)) });
      }
    };
    await Promise.all([drain(worker), drain(other), drain(worker), drain(other)]);
    expect(taken).toHaveLength(500);
    expect(new Set(taken).size).toBe(500);
  });

  test("an endpoint's hold on workers is bounded by its concurrency", async () => {
    await endpointWith(50, { concurrency: 2 });
    expect((await take()).rows).toHaveLength(2 * holdFactor);
    expect((await take()).rows).toHaveLength(0);
  });

  test("one endpoint's backlog leaves every other its share", async () => {
    const crowded = await endpointWith(1_000, { concurrency: 256 });
    const others = [];
    for (let i = 0; i < 9; i++) others.push(await endpointWith(1));
    const { rows } = await take({ want: 100 });
    for (const other of others) expect(rows.filter((row) => row.endpointId === other.id)).toHaveLength(1);
    expect(rows.filter((row) => row.endpointId === crowded.id).length).toBeGreaterThan(0);
  });

  test("walks on from the cursor over more endpoints than it serves at once, and starts over at the end", async () => {
    const { rows: made } = await db.pool.query<{ id: string }>(
      `with a as (insert into posthorn.affiliates (id, key, name) select posthorn.uuid_v7(), 'many', 'many' returning id),
       e as (insert into posthorn.endpoints (id, affiliate_id, name, url, status_changed_by)
         select posthorn.uuid_v7(), a.id, 'e' || i, 'http://127.0.0.1:9/', 'test' from a, generate_series(1, 250) i returning id)
       select id from e`,
    );
    await db.pool.query(
      "insert into posthorn.endpoint_health (endpoint_id) select id from posthorn.endpoints",
    );
    await publishMany(db.pool, { affiliate: "many", count: 4 });
    await fanOut(db.pool, fanOutOptions);
    const served = new Set<string>();
    let cursor: string | null = firstLane;
    let claims = 0;
    while (cursor !== null) {
      const batch = await take({ want: 100, after: cursor });
      for (const row of batch.rows) served.add(row.endpointId);
      cursor = batch.cursor;
      claims++;
    }
    expect(served.size).toBe(made.length);
    expect(claims).toBe(3);
  });

  test("what is gated is never touched: paused, or not due", async () => {
    const paused = await endpointWith(20);
    await db.pool.query("update posthorn.endpoint_health set ready_at = 'infinity' where endpoint_id = $1", [
      paused.id,
    ]);
    const later = await endpointWith(20);
    await db.pool.query(
      "update posthorn.deliveries set next_attempt_at = now() + interval '1 minute' where endpoint_id = $1",
      [later.id],
    );
    const { rows: before } = await db.pool.query(
      "select id, xmin::text from posthorn.deliveries order by id",
    );
    expect((await take()).rows).toHaveLength(0);
    const { rows: after } = await db.pool.query("select id, xmin::text from posthorn.deliveries order by id");
    expect(after).toEqual(before);
    await passTime(db.pool, 60);
    expect((await take()).rows).toHaveLength(20);
  });
});

describe("settle", () => {
  test("records a success: state, attempt, response, health, minute", async () => {
    const endpoint = await endpointWith(1);
    const [row] = (await take()).rows as [ClaimedRow];
    expect((await settle(db.pool, { workerId: worker, results: [resultOf(row, answered)] })).moved).toBe(1);
    expect(await delivery(row.id)).toMatchObject({
      state: "delivered",
      leased_by: null,
      lease_token: null,
      last_status: 200,
    });
    expect(await attempts(row.id)).toMatchObject([
      { number: 1, outcome: "delivered", late: false, worker_id: worker, first_byte_ms: 1.5 },
    ]);
    const { rows: responses } = await db.pool.query("select body, headers from posthorn.attempt_responses");
    expect(responses).toEqual([
      { body: Buffer.from([0, 255, 92, 34]), headers: '["content-type","text/plain"]' },
    ]);
    expect(await health(endpoint)).toMatchObject({ in_flight: 0, consecutive_failures: 0 });
    const { rows: minutes } = await db.pool.query(
      "select delivered, failed, delivered_ms_sum from posthorn.delivery_minutes",
    );
    expect(minutes).toEqual([{ delivered: 1, failed: 0, delivered_ms_sum: 2.5 }]);
  });

  test("counts consecutive failures across batches, from the latest success on", async () => {
    const endpoint = await endpointWith(6);
    const rows = (await take()).rows;
    await settle(db.pool, {
      workerId: worker,
      results: [resultOf(at(rows, 0), failure), resultOf(at(rows, 1), failure)],
    });
    expect(await health(endpoint)).toMatchObject({
      consecutive_failures: 2,
      last_failure_reason: "server_error",
      last_failure_status: 500,
    });
    await settle(db.pool, {
      workerId: worker,
      results: [
        resultOf(at(rows, 2), failure),
        resultOf(at(rows, 3)),
        resultOf(at(rows, 4), { ...failure, status: 503 }),
      ],
    });
    expect(await health(endpoint)).toMatchObject({
      consecutive_failures: 1,
      last_failure_status: 503,
      in_flight: 1,
    });
  });

  test("a failure is due again after its delay, by the database's clock", async () => {
    await endpointWith(1);
    const [row] = (await take()).rows as [ClaimedRow];
    await settle(db.pool, { workerId: worker, results: [resultOf(row, failure)] });
    const { rows } = await db.pool.query(
      "select extract(epoch from next_attempt_at - now())::float8 s from posthorn.deliveries",
    );
    expect(rows[0].s).toBeGreaterThan(50);
    expect(rows[0].s).toBeLessThanOrEqual(60);
    expect((await take()).rows).toHaveLength(0);
  });

  test("a lost lease moves nothing, and the late attempt is recorded", async () => {
    const endpoint = await endpointWith(1);
    const [row] = (await take()).rows as [ClaimedRow];
    await passTime(db.pool, 60);
    const rescuer = await newWorker();
    expect(await reap(db.pool)).toBe(1);
    const [again] = (await take({ workerId: rescuer })).rows as [ClaimedRow];
    expect(again.attemptNumber).toBe(2);
    expect((await settle(db.pool, { workerId: worker, results: [resultOf(row, failure)] })).moved).toBe(0);
    expect(await delivery(row.id)).toMatchObject({ state: "in_flight", leased_by: rescuer });
    expect(await health(endpoint)).toMatchObject({ in_flight: 1, consecutive_failures: 0 });
    await settle(db.pool, { workerId: rescuer, results: [resultOf(again)] });
    expect(await delivery(row.id)).toMatchObject({ state: "delivered", attempts_charged: 1 });
    expect((await attempts(row.id)).map((a) => [a.number, a.outcome, a.late])).toEqual(
      expect.arrayContaining([
        [1, "worker_lost", false],
        [1, "transient", true],
        [2, "delivered", false],
      ]),
    );
    expect((await health(endpoint)).in_flight).toBe(0);
  });

  test("is safe to repeat when its answer was lost", async () => {
    const endpoint = await endpointWith(2);
    const rows = (await take()).rows;
    const results = rows.map((row) => resultOf(row));
    expect((await settle(db.pool, { workerId: worker, results })).moved).toBe(2);
    expect((await settle(db.pool, { workerId: worker, results })).moved).toBe(0);
    expect(await attempts(at(rows, 0).id)).toHaveLength(1);
    expect((await health(endpoint)).in_flight).toBe(0);
  });

  test("many at once over the same endpoints do not deadlock, and the counters return to 0", async () => {
    for (let i = 0; i < 4; i++) await endpointWith(60, { concurrency: 64 });
    const batches = [];
    for (let i = 0; i < 12; i++) batches.push((await take({ want: 20 })).rows);
    await Promise.all(
      batches.map((rows, i) => {
        const results = rows.map((row) => resultOf(row));
        return settle(db.pool, { workerId: worker, results: i % 2 ? results : results.reverse() });
      }),
    );
    const { rows } = await db.pool.query("select sum(in_flight)::int n from posthorn.endpoint_health");
    expect(rows[0].n).toBe(0);
  });

  test("nor do they when many of them disable several endpoints", async () => {
    for (let i = 0; i < 4; i++) await endpointWith(60, { concurrency: 64 });
    const batches = [];
    for (let i = 0; i < 12; i++) batches.push((await take({ want: 20 })).rows);
    await Promise.all(
      batches.map((rows, i) => {
        const results = rows.map((row, n) => resultOf(row, n % 4 === i % 4 ? gone : {}));
        return settle(db.pool, { workerId: worker, results: i % 2 ? results : results.reverse() });
      }),
    );
    const { rows } = await db.pool.query(
      `select e.status, h.in_flight, (select count(*)::int from posthorn.audit_log where object_id = e.id::text) as told
       from posthorn.endpoints e join posthorn.endpoint_health h on h.endpoint_id = e.id`,
    );
    expect(rows).toEqual(Array(4).fill({ status: "disabled", in_flight: 0, told: 1 }));
  });
});

describe("reap", () => {
  test("leaves what living workers hold", async () => {
    await endpointWith(1);
    await take();
    await heartbeat(db.pool, { workerId: worker, pace: { claimed: 0, settled: 0 } });
    expect(await reap(db.pool)).toBe(0);
  });

  test("the third worker lost in a row makes a dead letter, and no attempt was charged", async () => {
    const endpoint = await endpointWith(1);
    for (let i = 1; i <= 3; i++) {
      const lost = await newWorker();
      const [row] = (await take({ workerId: lost })).rows as [ClaimedRow];
      expect(row.lostBefore).toBe(i > 1);
      if (row.lostBefore) expect(await suspect(db.pool, { ...row, deliveryId: row.id })).toBe(true);
      await retireWorker(db.pool, lost);
      await sleep(2);
      expect(await reap(db.pool)).toBe(1);
      expect(await delivery(row.id)).toMatchObject({
        state: i < 3 ? "failed" : "dead_letter",
        reason: "worker_lost",
        attempt_number: i,
        attempts_charged: 0,
      });
    }
    expect((await health(endpoint)).in_flight).toBe(0);
    const { rows } = await db.pool.query(
      "select sum(dead_letters)::int as dead_letters, sum(failed)::int as failed from posthorn.delivery_minutes",
    );
    expect(rows).toEqual([{ dead_letters: 1, failed: 0 }]);
  });

  test("one that was delivered before it was resent is delivered again, without a reason", async () => {
    await endpointWith(1);
    const [first] = (await take()).rows as [ClaimedRow];
    await settle(db.pool, { workerId: worker, results: [resultOf(first)] });
    await resend(first.id);
    for (let i = 1; i <= 3; i++) {
      const lost = await newWorker();
      const [row] = (await take({ workerId: lost })).rows as [ClaimedRow];
      if (row.lostBefore) await suspect(db.pool, { ...row, deliveryId: row.id });
      await retireWorker(db.pool, lost);
      await sleep(2);
      expect(await reap(db.pool)).toBe(1);
      expect(await delivery(row.id)).toMatchObject({
        state: i < 3 ? "failed" : "delivered",
        reason: i < 3 ? "worker_lost" : null,
      });
    }
    const { rows } = await db.pool.query("select sum(dead_letters)::int as n from posthorn.delivery_minutes");
    expect(rows).toEqual([{ n: 0 }]);
  });
});

describe("a delivery that was lost with its worker", () => {
  const lose = async () => {
    const lost = await newWorker();
    const [row] = (await take({ workerId: lost })).rows as [ClaimedRow];
    await retireWorker(db.pool, lost);
    await sleep(2);
    expect(await reap(db.pool)).toBe(1);
    return row;
  };

  test("is not given up for workers that died while it only waited in them", async () => {
    await endpointWith(1);
    for (let i = 0; i < 5; i++) await lose();
    const [row] = (await take()).rows as [ClaimedRow];
    expect(await delivery(row.id)).toMatchObject({
      lost_in_a_row: 1,
      attempt_number: 6,
      attempts_charged: 1,
    });
    expect(await suspect(db.pool, { ...row, deliveryId: row.id })).toBe(true);
    await settle(db.pool, { workerId: worker, results: [resultOf(row)] });
    expect(await delivery(row.id)).toMatchObject({ state: "delivered", lost_in_a_row: 0 });
  });

  test("is not sent by a worker whose lease is another's by now", async () => {
    await endpointWith(1);
    await lose();
    const stale = await lose();
    await take();
    expect(await suspect(db.pool, { ...stale, deliveryId: stale.id })).toBe(false);
  });
});

describe("hand back", () => {
  test("gives the attempt back as if it had never been claimed", async () => {
    const endpoint = await endpointWith(1);
    const [row] = (await take()).rows as [ClaimedRow];
    const lease = { deliveryId: row.id, leaseToken: row.leaseToken, endpointId: row.endpointId };
    expect(await handBack(db.pool, [lease])).toBe(1);
    expect(await delivery(row.id)).toMatchObject({
      state: "pending",
      attempt_number: 0,
      attempts_charged: 0,
      leased_by: null,
    });
    expect((await health(endpoint)).in_flight).toBe(0);
    const [again] = (await take()).rows as [ClaimedRow];
    expect(again.attemptNumber).toBe(1);
    expect(await handBack(db.pool, [lease])).toBe(0);
    expect((await delivery(row.id)).state).toBe("in_flight");
  });

  test("finds claims that this worker does not know of, once they are old", async () => {
    await endpointWith(2);
    const [known] = (await take({ want: 1 })).rows as [ClaimedRow];
    const [stray] = (await take({ want: 1 })).rows as [ClaimedRow];
    const options = { workerId: worker, tokens: [known.leaseToken] };
    expect(await handBackStrays(db.pool, options)).toBe(0);
    await db.pool.query(
      "update posthorn.deliveries set last_attempt_at = last_attempt_at - interval '1 minute'",
    );
    expect(await handBackStrays(db.pool, options)).toBe(1);
    expect((await delivery(stray.id)).state).toBe("pending");
    expect((await delivery(known.id)).state).toBe("in_flight");
  });
});

describe("resend", () => {
  test("gives a dead letter a fresh set of attempts; numbers go on", async () => {
    await endpointWith(1);
    const [row] = (await take()).rows as [ClaimedRow];
    const dead = { ...failure, state: "dead_letter", outcome: "permanent", delayMs: null } as const;
    await settle(db.pool, { workerId: worker, results: [resultOf(row, dead)] });
    expect(await resend(row.id)).toBe("resent");
    expect(await delivery(row.id)).toMatchObject({
      state: "pending",
      attempts_charged: 0,
      attempt_number: 1,
      reason: null,
      ended_at: null,
    });
    const [again] = (await take()).rows as [ClaimedRow];
    expect([again.attemptNumber, again.attemptsCharged]).toEqual([2, 1]);
  });

  test("pressed twice at once is one resend", async () => {
    await endpointWith(1);
    const [row] = (await take()).rows as [ClaimedRow];
    await settle(db.pool, { workerId: worker, results: [resultOf(row)] });
    const verdicts = await Promise.all([1, 2, 3].map(() => resend(row.id)));
    expect(verdicts.sort()).toEqual(["already_waiting", "already_waiting", "resent"]);
  });

  test("is refused in flight, for an unknown id, without a body and without an endpoint", async () => {
    const endpoint = await endpointWith(1);
    const [row] = (await take()).rows as [ClaimedRow];
    expect(await resend(row.id)).toBe("in_flight");
    expect(await resend("999999999")).toBe("not_found");
    await settle(db.pool, { workerId: worker, results: [resultOf(row)] });
    await db.pool.query("delete from posthorn.event_bodies");
    expect(await resend(row.id)).toBe("body_purged");
    await db.pool.query("update posthorn.endpoints set deleted_at = now() where id = $1", [endpoint.id]);
    expect(await resend(row.id)).toBe("endpoint_deleted");
  });
});

describe("discard", () => {
  test("what waits for a deleted endpoint is discarded, visibly; the rest stays", async () => {
    const gone = await endpointWith(3);
    const kept = await endpointWith(1);
    await db.pool.query("update posthorn.endpoints set deleted_at = now() where id = $1", [gone.id]);
    expect(await discardForDeletedEndpoints(db.pool)).toBe(3);
    const { rows } = await db.pool.query(
      "select endpoint_id, state, reason, ended_at is not null ended from posthorn.deliveries order by id",
    );
    expect(rows.filter((row) => row.endpoint_id === gone.id)).toEqual(
      Array(3).fill({ endpoint_id: gone.id, state: "discarded", reason: "endpoint_deleted", ended: true }),
    );
    expect(rows.find((row) => row.endpoint_id === kept.id)).toMatchObject({ state: "pending" });
  });
});

describe("partitions", () => {
  test("cover the days ahead, and take over what the default one had caught", async () => {
    const { rows } = await db.pool.query<{ n: number }>(
      `select count(*)::int n from pg_inherits where inhparent = 'posthorn.event_bodies'::regclass`,
    );
    expect(rows[0]?.n).toBe(16);
    const far = "date_trunc('day', now(), 'UTC') + interval '20 days 3 hours'";
    await db.pool.query(`insert into posthorn.event_bodies values ('far', ${far}, 'ftd', now(), 'x')`);
    await db.pool.query("select posthorn.ensure_partitions(21)");
    const { rows: found } = await db.pool.query(
      "select tableoid::regclass::text as part from posthorn.event_bodies where event_id = 'far'",
    );
    expect(found[0].part).toMatch(/^posthorn\.event_bodies_\d{8}$/);
    await Promise.all([1, 2, 3].map(() => db.pool.query("select posthorn.ensure_partitions(25)")));
  });
});
