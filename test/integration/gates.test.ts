import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { inClientTransaction } from "#lib/db/database.ts";
import { admit } from "#lib/delivery/admission.ts";
import { classify } from "#lib/delivery/classify.ts";
import { type RatePeriod, ratePeriodSeconds, refill, wholeTokens } from "#lib/delivery/token-bucket.ts";
import { verdictOf } from "#lib/delivery/verdict.ts";
import { type ClaimedRow, claim, firstLane, holdFactor } from "#lib/queue/claim.ts";
import { fanOut } from "#lib/queue/fan-out.ts";
import { handBack } from "#lib/queue/hand-back.ts";
import { changeHealth, probeNext } from "#lib/queue/health.ts";
import { reap } from "#lib/queue/reap.ts";
import type { Settlement } from "#lib/queue/settle.ts";
import { stoppedAmong } from "#lib/queue/stopped.ts";
import { retireWorker } from "#lib/queue/workers.ts";
import { breakerStates } from "#lib/vocabulary.ts";
import { createEndpoint, fanOutOptions, publishMany, type TestEndpoint } from "#test/helpers/factories.ts";
import { createTestQueue, type TestQueue } from "#test/helpers/queue.ts";
import { failed, gone, refused } from "#test/helpers/settlements.ts";
import { passTime } from "#test/helpers/time.ts";

let { db, worker, newWorker, take, settleAll } = {} as TestQueue;

async function fresh() {
  ({ db, worker, newWorker, take, settleAll } = await createTestQueue());
}

async function endpointWith(count: number, options: Partial<Parameters<typeof createEndpoint>[1]> = {}) {
  const endpoint = await createEndpoint(db.pool, { url: "http://127.0.0.1:9/", baseSeconds: 1, ...options });
  await publishMany(db.pool, { affiliate: endpoint.affiliateKey, count });
  while ((await fanOut(db.pool, fanOutOptions)) > 0);
  return endpoint;
}

async function health(endpoint: TestEndpoint) {
  const { rows } = await db.pool.query(
    `select *, extract(epoch from ready_at - now())::float8 as ready_in from posthorn.endpoint_health where endpoint_id = $1`,
    [endpoint.id],
  );
  return rows[0];
}

async function transitions(endpoint: TestEndpoint) {
  const { rows } = await db.pool.query(
    "select from_state, to_state, cause, cooldown_seconds from posthorn.breaker_transitions where endpoint_id = $1 order by id",
    [endpoint.id],
  );
  return rows.map((row) => `${row.from_state} -> ${row.to_state}: ${row.cause} ${row.cooldown_seconds}`);
}

async function opened(count = 50, options: Partial<Parameters<typeof createEndpoint>[1]> = {}) {
  const endpoint = await endpointWith(count, { maxAttempts: 30, ...options });
  await settleAll(await take({ want: 10 }), failed);
  expect((await health(endpoint)).breaker).toBe("open");
  return endpoint;
}

describe("case 21: the breaker", () => {
  beforeEach(fresh);

  test("ten consecutive failures open it, and nothing more is claimed or written while it waits", async () => {
    const endpoint = await opened(200);
    expect(await health(endpoint)).toMatchObject({ consecutive_failures: 10, breaker_cooldown_seconds: 300 });
    expect((await health(endpoint)).ready_in).toBeGreaterThan(290);
    const versions = () => db.pool.query("select id, xmin::text from posthorn.deliveries order by id");
    const before = (await versions()).rows;
    for (let i = 0; i < 5; i++) expect(await take()).toEqual([]);
    expect((await versions()).rows).toEqual(before);
  });

  test("after the cooldown exactly one goes, over four workers at once; its failure doubles the cooldown", async () => {
    const endpoint = await opened();
    await passTime(db.pool, 300);
    const workers = await Promise.all([1, 2, 3, 4].map(newWorker));
    const taken = (
      await Promise.all(workers.flatMap((workerId) => [take({ workerId }), take({ workerId })]))
    ).flat();
    expect(taken).toHaveLength(1);
    expect((await health(endpoint)).breaker).toBe("half_open");
    await settleAll(taken, failed);
    expect(await health(endpoint)).toMatchObject({ breaker: "open", breaker_cooldown_seconds: 600 });
    expect((await health(endpoint)).ready_in).toBeGreaterThan(590);
    expect(await transitions(endpoint)).toEqual([
      "closed -> open: consecutive_failures 300",
      "open -> half_open: probe_started 300",
      "half_open -> open: probe_failed 600",
    ]);
  });

  const closing: [string, Partial<Settlement>, string][] = [
    ["a success", {}, "probe_succeeded"],
    ["a refused payload", refused, "probe_neutral"],
  ];
  test.each(closing)(
    "%s of the probe closes it; what waited goes out ramping 1, 2, 4",
    async (_, change, cause) => {
      const endpoint = await opened(50, { concurrency: 4 });
      await passTime(db.pool, 300);
      await settleAll(await take(), change);
      expect(await health(endpoint)).toMatchObject({
        breaker: "closed",
        consecutive_failures: 0,
        breaker_cooldown_seconds: 300,
        ramp: 1,
      });
      expect((await transitions(endpoint)).at(-1)).toContain(cause);
      const sizes = [];
      for (let i = 0; i < 3; i++) {
        const rows = await take({ want: 100 });
        sizes.push(rows.length);
        expect(await take()).toEqual([]);
        await settleAll(rows);
      }
      expect(sizes).toEqual([1, 2, 4 * holdFactor]);
      expect(await health(endpoint)).toMatchObject({ ramp: null, in_flight: 0 });
    },
  );

  test("what waited goes out within the rate limit too, however far the ramp has come", async () => {
    const endpoint = await opened(50, { concurrency: 16 });
    await db.pool.query(
      "update posthorn.endpoints set rate_amount = 1, rate_period_seconds = 3600, rate_burst = 4 where id = $1",
      [endpoint.id],
    );
    await passTime(db.pool, 300);
    const sizes = [];
    for (let i = 0; i < 4; i++) {
      const rows = await take();
      sizes.push(rows.length);
      await settleAll(rows);
    }
    // The probe, then 1, then the two that are left of the burst; 4 would be the ramp's next step.
    expect(sizes).toEqual([1, 1, 2, 0]);
  });

  test("the prober is killed: another probes at once, the cooldown as it was, and nobody was charged", async () => {
    const endpoint = await opened();
    await passTime(db.pool, 300);
    const doomed = await newWorker();
    const [probe] = (await take({ workerId: doomed })) as [ClaimedRow];
    await retireWorker(db.pool, doomed);
    await sleep(2);
    expect(await reap(db.pool)).toBe(1);
    expect(await health(endpoint)).toMatchObject({
      breaker: "open",
      breaker_cooldown_seconds: 300,
      in_flight: 0,
    });
    const [next] = await take();
    expect(next?.breakerEpoch).toBe(probe.breakerEpoch + 1);
    await settleAll([probe], {}, doomed);
    expect((await health(endpoint)).breaker).toBe("half_open");
    await settleAll([next as ClaimedRow]);
    expect((await health(endpoint)).breaker).toBe("closed");
    expect((await transitions(endpoint)).slice(1)).toEqual([
      "open -> half_open: probe_started 300",
      "half_open -> open: probe_lost 300",
      "open -> half_open: probe_started 300",
      "half_open -> closed: probe_succeeded 300",
    ]);
  });

  test("a probe that is handed back unsent frees the breaker too", async () => {
    const endpoint = await opened();
    await passTime(db.pool, 300);
    const rows = await take();
    await handBack(
      db.pool,
      rows.map((row) => ({ ...row, deliveryId: row.id })),
    );
    expect(await health(endpoint)).toMatchObject({ breaker: "open", in_flight: 0 });
    expect(await take()).toHaveLength(1);
  });

  test("a probe for which nothing could be sent frees it: the next may go at once, the cooldown as it was", async () => {
    const endpoint = await opened();
    await passTime(db.pool, 300);
    const classification = classify({ errorCode: "POSTHORN_SECRET_MISSING" });
    const verdict = verdictOf(classification);
    const reason = classification.reason;
    await settleAll(await take(), { ...refused, verdict, attemptReason: reason, reason, status: null });
    expect(await health(endpoint)).toMatchObject({
      breaker: "open",
      breaker_cooldown_seconds: 300,
      consecutive_failures: 10,
      failing_attempts: 10,
      in_flight: 0,
    });
    await settleAll(await take());
    expect((await transitions(endpoint)).slice(1)).toEqual([
      "open -> half_open: probe_started 300",
      "half_open -> open: probe_lost 300",
      "open -> half_open: probe_started 300",
      "half_open -> closed: probe_succeeded 300",
    ]);
  });

  test("late results of requests claimed before it opened change nothing", async () => {
    const endpoint = await endpointWith(40, { maxAttempts: 30 });
    const early = await take({ want: 5 });
    await settleAll(await take({ want: 10 }), failed);
    await passTime(db.pool, 300);
    const probe = await take();
    await settleAll(early);
    expect((await health(endpoint)).breaker).toBe("half_open");
    await settleAll(probe, failed);
    expect(await health(endpoint)).toMatchObject({ breaker: "open", breaker_cooldown_seconds: 600 });
  });

  test("none of the waiting used up an attempt", async () => {
    await opened();
    await passTime(db.pool, 300);
    await settleAll(await take());
    const { rows } = await db.pool.query(
      "select max(attempts_charged) as n from posthorn.deliveries where state = 'pending'",
    );
    expect(rows[0].n).toBe(0);
  });

  test("with 100,000 waiting behind an open breaker a claim touches none of them", async () => {
    const endpoint = await opened(12);
    await db.pool.query(
      `insert into posthorn.deliveries (event_id, event_received_at, event_type, affiliate_id, endpoint_id)
       select 'e' || i, now(), 'ftd', $1, $2 from generate_series(1, 100000) i`,
      [endpoint.affiliateId, endpoint.id],
    );
    const updates = async () => {
      const { rows } = await db.pool.query(
        "select pg_stat_force_next_flush(), sum(n_tup_upd)::int as n from pg_stat_user_tables where relname in ('deliveries', 'endpoint_health')",
      );
      return rows[0].n;
    };
    await updates();
    const before = await updates();
    for (let i = 0; i < 20; i++) expect(await take()).toEqual([]);
    await sleep(50);
    expect(await updates()).toBe(before);
  });
});

describe("case 12: an endpoint that is held", () => {
  beforeEach(fresh);

  const tooMany = { ...failed, attemptReason: "rate_limited", reason: "rate_limited", status: 429 } as const;

  test.each([
    ["closed", 0],
    ["open", 10],
  ])("is left alone by late answers of what it was before an edit, its breaker %s", async (_, failures) => {
    const endpoint = await endpointWith(30, { maxAttempts: 30 });
    const early = await take({ want: 3 });
    if (failures > 0) await settleAll(await take({ want: failures }), failed);
    await inClientTransaction(db.pool, (client) =>
      changeHealth(client, endpoint.id, (h, nowMs) => probeNext(h, { nowMs, cause: "endpoint_changed" })),
    );
    const late = await settleAll(early.slice(0, 1), gone);
    expect((await db.pool.query("select status from posthorn.endpoints")).rows).toEqual([
      { status: "active" },
    ]);
    expect(late.stopped).toEqual(failures > 0 ? [endpoint.id] : []);
    await settleAll(early.slice(1, 2), { ...tooMany, retryAfterMs: 60_000 });
    await settleAll(early.slice(2), tooMany);
    expect(await health(endpoint)).toMatchObject({ hold_until: null, rate_limited_in_a_row: 0 });
    const next = await take({ want: 1 });
    expect(next).toHaveLength(1);
    // What is asked of it since counts.
    await settleAll(next, { ...tooMany, retryAfterMs: 60_000 });
    expect(await health(endpoint)).toMatchObject({ rate_limited_in_a_row: 1 });
  });

  test("has stopped for every worker that holds something of it, until the hold is over", async () => {
    const endpoint = await endpointWith(10);
    const other = await newWorker();
    const ours = await take({ want: 2 });
    const theirs = await take({ want: 2, workerId: other });
    expect(await stoppedAmong(db.pool, [endpoint.id])).toEqual([]);
    const held = await settleAll(ours.slice(0, 1), { ...tooMany, retryAfterMs: 60_000 });
    expect(held.stopped).toEqual([endpoint.id]);
    // Its request was under way, so that it changes nothing; what waits behind it must not go all the same.
    const late = await settleAll(theirs.slice(0, 1), { ...tooMany, startedAtMs: 0 }, other);
    expect(late.stopped).toEqual([endpoint.id]);
    expect(await stoppedAmong(db.pool, [endpoint.id])).toEqual([endpoint.id]);
    await passTime(db.pool, 61);
    expect(await stoppedAmong(db.pool, [endpoint.id])).toEqual([]);
    expect((await settleAll(ours.slice(1), failed)).stopped).toEqual([]);
  });
});

describe("case 22: the failure rate", () => {
  beforeEach(fresh);

  test("90 % of 30 attempts within five minutes open it, without ten in a row", async () => {
    const endpoint = await endpointWith(60, { maxAttempts: 30 });
    for (let i = 0; i < 3; i++) {
      await settleAll(await take({ want: 9 }), failed);
      const rows = await take({ want: 1 });
      if (rows.length > 0) await settleAll(rows);
    }
    expect((await health(endpoint)).breaker).toBe("open");
    expect(await transitions(endpoint)).toEqual(["closed -> open: failure_rate 300"]);
  });

  test("one poison payload among successes does not, nor do refused payloads", async () => {
    const endpoint = await endpointWith(60);
    for (let i = 0; i < 10; i++) {
      await settleAll(await take({ want: 1 }), refused);
      await settleAll(await take({ want: 2 }));
    }
    expect(await health(endpoint)).toMatchObject({
      breaker: "closed",
      consecutive_failures: 0,
      failing_since: null,
      failing_attempts: 0,
    });
  });
});

describe("case 23: the rate limit", () => {
  beforeEach(fresh);

  test("100 a minute with 1,000 waiting, over four workers: never more in any minute, all within ten", async () => {
    const endpoint = await endpointWith(1_000, { concurrency: 256 });
    await db.pool.query(
      "update posthorn.endpoints set rate_amount = 100, rate_period_seconds = 60, rate_burst = 10 where id = $1",
      [endpoint.id],
    );
    const workers = await Promise.all([1, 2, 3, 4].map(newWorker));
    // As the queue sees it: the time that was let pass, and what the test itself took.
    let passedSeconds = 0;
    const startedAt = performance.now();
    const now = () => passedSeconds + (performance.now() - startedAt) / 1_000;
    const sentAt: number[] = [];
    while (sentAt.length < 1_000 && passedSeconds < 700) {
      const before = now();
      const rows = (await Promise.all(workers.map((workerId) => take({ workerId })))).flat();
      sentAt.push(...rows.map(() => before));
      await settleAll(rows);
      await passTime(db.pool, 4);
      passedSeconds += 4;
    }
    expect(sentAt).toHaveLength(1_000);
    expect(sentAt.at(-1)).toBeLessThan(600);
    expect(sentAt.filter((at) => at === sentAt[0])).toHaveLength(10);
    for (const start of new Set(sentAt)) {
      const within = sentAt.filter((at) => at >= start && at < start + 60).length;
      // A claim is up to a second later than it is counted here.
      expect(within).toBeLessThanOrEqual(100 + 10 + 2);
    }
  });
});

describe("concurrency", () => {
  beforeEach(fresh);

  test("less than the number of workers is held over all of them", async () => {
    await endpointWith(20, { concurrency: 2 });
    const workers = await Promise.all([1, 2, 3, 4].map(newWorker));
    const rows = (await Promise.all(workers.map((workerId) => take({ workerId, workersAlive: 4 })))).flat();
    expect(rows).toHaveLength(2);
  });
});

describe("the claim's admission", () => {
  beforeAll(fresh);

  test("equals the delivery core's on random rows", async () => {
    const endpoint = await endpointWith(400, { concurrency: 16 });
    const periods = Object.keys(ratePeriodSeconds) as RatePeriod[];
    const row = fc.record({
      breaker: fc.constantFrom(...breakerStates),
      ramp: fc.option(fc.integer({ min: 1, max: 40 }), { nil: null }),
      inFlight: fc.integer({ min: 0, max: 90 }),
      concurrency: fc.integer({ min: 1, max: 20 }),
      readyInMs: fc.constantFrom(-1_000, 60_000),
      want: fc.integer({ min: 1, max: 120 }),
      workersAlive: fc.integer({ min: 1, max: 8 }),
      rate: fc.option(
        fc.record({
          amount: fc.integer({ min: 1, max: 1_000_000 }),
          per: fc.constantFrom(...periods),
          burst: fc.integer({ min: 1, max: 200 }),
          filled: fc.double({ min: 0, max: 1, noNaN: true }),
          // Not near the edge of a token, which real time passing in the test would cross.
          agoMs: fc.constantFrom(0, 86_400_000),
        }),
        { nil: null },
      ),
    });
    await fc.assert(
      fc.asyncProperty(row, async (input) => {
        const client = await db.pool.connect();
        try {
          await client.query("begin");
          const { rows: clock } = await client.query(
            "select floor(extract(epoch from now()) * 1000)::float8 as ms",
          );
          const nowMs = clock[0].ms as number;
          const limit = input.rate && {
            amount: input.rate.amount,
            per: input.rate.per,
            burst: input.rate.burst,
          };
          const bucket = input.rate && {
            level: Math.floor(input.rate.filled * input.rate.burst * 3_600_000),
            atMs: nowMs - input.rate.agoMs,
          };
          await client.query(
            "update posthorn.endpoints set concurrency = $2, rate_amount = $3, rate_period_seconds = $4, rate_burst = $5 where id = $1",
            [
              endpoint.id,
              input.concurrency,
              limit?.amount ?? null,
              limit ? ratePeriodSeconds[limit.per] : null,
              limit?.burst ?? null,
            ],
          );
          await client.query(
            `update posthorn.endpoint_health set breaker = $2, ramp = $3, in_flight = $4, bucket_level = $5, bucket_at_ms = $6,
               ready_at = to_timestamp($7::float8 / 1000) where endpoint_id = $1`,
            [
              endpoint.id,
              input.breaker,
              input.ramp,
              input.inFlight,
              bucket?.level ?? null,
              bucket?.atMs ?? null,
              nowMs + input.readyInMs,
            ],
          );
          const expected = admit(
            {
              readyAtMs: nowMs + input.readyInMs,
              breaker: input.breaker,
              ramp: input.ramp,
              inFlight: input.inFlight,
              concurrency: input.concurrency,
              rate: limit && bucket ? { limit, bucket } : null,
            },
            {
              nowMs,
              share: input.want,
              holdFactor: limit || input.concurrency <= input.workersAlive ? 1 : holdFactor,
              workersAlive: input.workersAlive,
            },
          );
          const claimed = await claim(client, {
            after: firstLane,
            want: input.want,
            workerId: worker,
            leaseToken: "1",
            workersAlive: input.workersAlive,
          });
          expect(claimed.rows).toHaveLength(expected);
          expect(claimed.rows.every((row) => row.limited === (limit !== null))).toBe(true);
          if (limit && bucket && expected > 0) {
            const left = wholeTokens(refill(bucket, limit, nowMs)) - expected;
            const { rows } = await client.query(
              "select bucket_level / 3600000 as tokens from posthorn.endpoint_health where endpoint_id = $1",
              [endpoint.id],
            );
            expect(Number(rows[0].tokens)).toBe(left);
          }
        } finally {
          await client.query("rollback");
          client.release();
        }
      }),
      { numRuns: 300 },
    );
  });
});
