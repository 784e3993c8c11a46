import { beforeEach, describe, expect, test } from "vitest";
import { rollUpLatency, trimLatency } from "#lib/queue/latency.ts";
import type { History } from "#lib/stats/schema.ts";
import { setUpApi } from "#test/helpers/api.ts";
import {
  attempt,
  type CountingWorker,
  createRandom,
  hourMs,
  shapes,
  startCounting,
  timedOut,
  times,
} from "#test/helpers/counting.ts";
import { createAffiliate, createApiKey, createEndpoint, type TestEndpoint } from "#test/helpers/factories.ts";
import { GET as consoleHistory } from "../../app/api/console/stats/history/route.ts";
import { GET as history } from "../../app/api/v1/stats/history/route.ts";

const api = setUpApi();
const nowhere = "01890a5d-ac96-774b-bcce-b302099a8057";
const pool = () => api.database.pool;

beforeEach(async () => {
  await pool().query(
    "truncate posthorn.endpoint_latency, posthorn.endpoint_latency_days, posthorn.delivery_attempts",
  );
});

const newEndpoint = (affiliate?: { id: string; key: string }) =>
  createEndpoint(pool(), {
    url: "http://127.0.0.1:9/",
    concurrency: 256,
    ...(affiliate === undefined ? {} : { affiliate }),
  });

async function ask(query: Record<string, string>): Promise<History> {
  const { status, body } = await api.call(history, { query });
  expect(body).toMatchObject({ from: expect.any(String) });
  expect(status).toBe(200);
  return body;
}

/** PostgreSQL's own answer over the raw samples of some endpoints, by the time at which they ended. */
async function exactly(endpoints: readonly TestEndpoint[], { from, to, resolution }: History) {
  const { rows } = await pool().query(
    `select date_trunc($4, ended_at, 'UTC') as at, count(*)::int as attempts,
       percentile_cont(0.5) within group (order by duration_ms) as p50_ms,
       percentile_cont(0.95) within group (order by duration_ms) as p95_ms,
       percentile_cont(0.99) within group (order by duration_ms) as p99_ms,
       count(*) filter (where outcome = 'delivered')::int as delivered,
       count(*) filter (where reason = 'timeout')::int as timeout
     from (select *, started_at + duration_ms * interval '1 millisecond' as ended_at
       from posthorn.delivery_attempts) a
     where endpoint_id = any($1) and ended_at >= $2 and ended_at < $3
     group by grouping sets ((1), ()) order by 1 nulls last`,
    [endpoints.map(({ id }) => id), from, to, resolution],
  );
  return { buckets: rows.slice(0, -1), total: rows.at(-1) };
}

async function expectExact(query: Record<string, string>, endpoints: readonly TestEndpoint[]) {
  const got = await ask(query);
  const exact = await exactly(endpoints, got);
  const filled = got.buckets.filter(({ attempts }) => attempts > 0);
  expect(filled.map(({ at }) => at)).toEqual(exact.buckets.map(({ at }) => at.toISOString()));
  for (const [counts, wanted] of [
    [got.total, exact.total] as const,
    ...filled.map((bucket, i) => [bucket, exact.buckets[i]] as const),
  ]) {
    const { attempts, delivered, timeout } = wanted;
    expect(counts).toMatchObject({ attempts, outcomes: { delivered, timeout } });
    for (const p of ["p50_ms", "p95_ms", "p99_ms"] as const)
      expect(Math.abs((counts[p] as number) / wanted[p] - 1), p).toBeLessThan(0.01);
  }
  return got;
}

/** As if all that was counted so far had been so many days ago. */
async function age(days: number) {
  for (const [table, column] of [
    ["endpoint_latency", "bucket_at"],
    ["endpoint_latency_days", "bucket_at"],
    ["delivery_attempts", "started_at"],
  ])
    await pool().query(`update posthorn.${table} set ${column} = ${column} - $1 * interval '24 hours'`, [
      days,
    ]);
}

async function rollUp() {
  while ((await rollUpLatency(pool())) > 0);
}

describe("roll-ups", () => {
  test.each(shapes)(
    "%s: every range within one percent of percentile_cont over the raw samples",
    async (_, shape) => {
      const random = createRandom(7);
      const affiliate = await createAffiliate(pool());
      const [one, other, foreign] = [
        await newEndpoint(affiliate),
        await newEndpoint(affiliate),
        await newEndpoint(),
      ];
      const workers = [await startCounting(pool()), await startCounting(pool())];
      const settleAll = async (endedAtMs: number) => {
        // What is published for the one goes to the other too.
        for (const [i, worker] of workers.entries())
          for (const endpoint of [one, foreign]) {
            // Each in its own place, so that merging has something to do.
            const durationsMs = times(60, () => shape(random) * (i + 1));
            await attempt(worker, endpoint, durationsMs, { endedAtMs });
            await worker.recorder.flush();
          }
      };
      for (const daysAgo of [16, 4]) {
        await settleAll(Date.now() - 5 * hourMs);
        await rollUp();
        await age(daysAgo);
        for (const [i] of workers.entries()) workers[i] = await startCounting(pool());
      }
      for (const hoursAgo of [20, 3]) await settleAll(Date.now() - hoursAgo * hourMs);
      await rollUp();
      await settleAll(Date.now());
      for (const range of ["1h", "24h", "7d", "30d"]) {
        await expectExact({ range, endpoint: one.id }, [one]);
        await expectExact({ range, affiliate: affiliate.key }, [one, other]);
        await expectExact({ range }, [one, other, foreign]);
      }
      expect((await ask({ range: "30d" })).total.attempts).toBe(60 * 2 * 3 * 5);
    },
  );

  test("each attempt is counted in its class, and a gap is a gap", async () => {
    const endpoint = await newEndpoint();
    const worker = await startCounting(pool());
    const fail = (
      attemptReason: "redirect" | "not_found" | "server_error" | "dns_error" | "rejected_by_response",
    ) => attempt(worker, endpoint, [5], { change: { ...timedOut, reason: attemptReason, attemptReason } });
    await attempt(worker, endpoint, [10, 20, 16_000]);
    for (const reason of [
      "redirect",
      "not_found",
      "server_error",
      "dns_error",
      "rejected_by_response",
    ] as const)
      await fail(reason);
    await worker.recorder.flush();
    const { total, buckets, breaker } = await ask({ endpoint: endpoint.id, range: "7d" });
    const outcomes = {
      delivered: 2,
      redirect: 1,
      client_error: 1,
      server_error: 1,
      timeout: 1,
      network: 1,
      other: 1,
    };
    expect(total).toMatchObject({ attempts: 8, outcomes });
    const gap = { attempts: 0, p50_ms: null, p95_ms: null, p99_ms: null, outcomes: null };
    expect(buckets.slice(0, -2)).toEqual(buckets.slice(0, -2).map(({ at }) => ({ at, ...gap })));
    expect(breaker).toMatchObject({ openings: 0, seconds_not_closed: 0 });
    const quiet = await newEndpoint();
    expect((await ask({ endpoint: quiet.id })).total).toEqual(gap);
  });

  test("a worker that restarts in the middle of a minute loses nothing that was written", async () => {
    const endpoint = await newEndpoint();
    const count = async (worker: CountingWorker, n: number) => {
      await attempt(
        worker,
        endpoint,
        times(n, () => 10),
      );
      await worker.recorder.flush();
    };
    const first = await startCounting(pool());
    await count(first, 20);
    await count(first, 5);
    await count(await startCounting(pool()), 7);
    for (const range of ["1h", "24h", "30d"])
      expect((await ask({ endpoint: endpoint.id, range })).total.attempts).toBe(32);
  });

  test("rolling up again, and in several workers at once, changes nothing; what comes late is added", async () => {
    const endpoint = await newEndpoint();
    const startedAtMs = Date.now() - 4 * hourMs;
    const countLate = async () => {
      const worker = await startCounting(pool());
      await attempt(
        worker,
        endpoint,
        times(20, (i) => 10 * i + 1),
        { startedAtMs },
      );
      await worker.recorder.flush();
    };
    const expectTotal = async (attempts: number) => {
      for (const range of ["24h", "30d"])
        expect((await ask({ endpoint: endpoint.id, range })).total.attempts).toBe(attempts);
      expect((await ask({ range: "30d" })).total.attempts).toBe(attempts);
    };
    for (const round of [1, 2, 3]) {
      await countLate();
      await countLate();
      await expectTotal(40 * round);
      // Whoever loses the race fails as a whole, and maintenance tries again.
      await Promise.allSettled(times(4, () => rollUpLatency(pool())));
      await expectTotal(40 * round);
      await rollUp();
      await rollUp();
      await expectTotal(40 * round);
    }
    const { rows } = await pool().query(
      "select attempts from posthorn.endpoint_latency_days where endpoint_id = $1",
      [endpoint.id],
    );
    expect(rows).toEqual([{ attempts: 120 }]);
  });

  test("days are kept for ninety days", async () => {
    const endpoint = await newEndpoint();
    const worker = await startCounting(pool());
    await attempt(worker, endpoint, [5], { startedAtMs: Date.now() - 4 * hourMs });
    await worker.recorder.flush();
    await rollUp();
    await age(88);
    expect(await trimLatency(pool(), "day")).toBe(0);
    await age(3);
    expect(await trimLatency(pool(), "day")).toBe(3);
    expect(await trimLatency(pool(), "hour")).toBe(3);
  });
});

describe("what is asked for", () => {
  test("the last 24 hours of everything unless told otherwise, in the resolution that fits", async () => {
    const ago = (hours: number) => new Date(Date.now() - hours * hourMs).toISOString();
    const cases: [Record<string, string>, string, number][] = [
      [{}, "hour", 24],
      [{ range: "1h" }, "minute", 60],
      [{ range: "7d" }, "hour", 168],
      [{ range: "30d" }, "day", 30],
      [{ from: ago(2.9) }, "minute", 174],
      [{ from: ago(5), to: ago(4.5) }, "hour", 1],
      [{ from: ago(89 * 24), to: ago(88 * 24) }, "hour", 24],
      [{ from: ago(89 * 24) }, "day", 89],
    ];
    for (const [query, resolution, atLeast] of cases) {
      const got = await ask(query);
      expect(got).toMatchObject({ resolution, breaker: null });
      expect(got.buckets.length).toBeGreaterThanOrEqual(atLeast);
      expect(got.buckets.length).toBeLessThanOrEqual(atLeast + 2);
      expect(got.buckets[0]?.at).toBe(got.from);
    }
  });

  test.each<[Record<string, string>, string, string]>([
    [{ range: "2h" }, "range", "must be one of 1h, 24h, 7d, 30d"],
    [{ from: "yesterday" }, "from", "must be an ISO 8601 time with a zone, such as 2026-01-31T12:00:00Z"],
    [{ to: "2026-01-31T12:00:00Z" }, "from", "is needed beside to"],
    [{ range: "1h", from: "2026-01-31T12:00:00Z" }, "range", "must not be given beside from"],
    [{ range: "1h", to: "2026-01-31T12:00:00Z" }, "range", "must not be given beside to"],
    [{ from: "2026-01-31T12:00:00Z", to: "2026-01-31T12:00:00Z" }, "to", "must be later than from"],
    [{ from: "2001-01-01T00:00:00Z" }, "from", "must be within the last 90 days, for which history is kept"],
    [{ from: "9000-01-01T00:00:00Z" }, "from", "must be in the past"],
    [{ endpoint: "one" }, "endpoint", "must be an endpoint's id"],
    [{ affiliate: "a b" }, "affiliate", "must be 1 to 128 of A-Z a-z 0-9 _ . : -"],
    [{ affiliate: "a", endpoint: nowhere }, "affiliate", "must not be given beside endpoint"],
  ])("%o is refused for its %s", async (query, field, message) => {
    const { status, body } = await api.call(history, { query });
    expect(body).toMatchObject({
      code: "invalid_input",
      errors: expect.arrayContaining([{ field, message }]),
    });
    expect(status).toBe(422);
  });

  test("what is not there is not found", async () => {
    for (const query of [{ endpoint: nowhere }, { affiliate: "nobody" }])
      expect(await api.call(history, { query })).toMatchObject({ status: 404, body: { code: "not_found" } });
    const endpoint = await newEndpoint();
    await pool().query("update posthorn.endpoints set deleted_at = now() where id = $1", [endpoint.id]);
    expect(await api.call(history, { query: { endpoint: endpoint.id } })).toMatchObject({ status: 404 });
  });

  test("a key of one affiliate sees its own alone; the console sees what a key for all does", async () => {
    const [mine, theirs] = [await newEndpoint(), await newEndpoint()];
    const worker = await startCounting(pool());
    await attempt(worker, mine, [10]);
    await attempt(worker, theirs, [10, 20]);
    await worker.recorder.flush();
    const { key } = await createApiKey(pool(), { purpose: "read", affiliateId: mine.affiliateId });
    const headers = { authorization: `Bearer ${key}` };
    const attempts = async (query: Record<string, string>) =>
      (await api.call(history, { query, headers })).body.total?.attempts;
    expect(await attempts({})).toBe(1);
    expect(await attempts({ affiliate: mine.affiliateKey })).toBe(1);
    expect(await attempts({ endpoint: mine.id })).toBe(1);
    expect(await attempts({ affiliate: theirs.affiliateKey })).toBeUndefined();
    expect(await attempts({ endpoint: theirs.id })).toBeUndefined();
    expect((await api.call(consoleHistory)).body.total.attempts).toBe(3);
  });

  test("the breaker's states over the range, also from before it", async () => {
    const endpoint = await newEndpoint();
    const move = (hoursAgo: number, from: string, to: string) =>
      pool().query(
        `insert into posthorn.breaker_transitions (endpoint_id, at, from_state, to_state, cause, cooldown_seconds)
         values ($1, now() - $2 * interval '1 hour', $3, $4, 'held', 300)`,
        [endpoint.id, hoursAgo, from, to],
      );
    await move(60, "closed", "open");
    await move(6, "open", "half_open");
    await move(5, "half_open", "closed");
    await move(2, "closed", "open");
    const { breaker, from, at } = await ask({ endpoint: endpoint.id });
    expect(breaker?.spans.map(({ state }) => state)).toEqual(["open", "half_open", "closed", "open"]);
    expect(breaker?.spans[0]?.from).toBe(from);
    expect(breaker?.spans.at(-1)?.to).toBe(at);
    expect(breaker?.openings).toBe(1);
    const closedMs = 3 * hourMs;
    const notClosed = Date.parse(at) - Date.parse(from) - closedMs;
    expect(Math.abs((breaker?.seconds_not_closed ?? 0) - notClosed / 1_000)).toBeLessThan(5);
  });
});
