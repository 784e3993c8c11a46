import { beforeEach, describe, expect, test } from "vitest";
import { createDatabase } from "#lib/db/database.ts";
import { samplesIn } from "#lib/delivery/latency.ts";
import { selectEndpoint } from "#lib/endpoints/queries.ts";
import { latencyBatchSize, rollUpLatency, trimLatency, writeLatency } from "#lib/queue/latency.ts";
import { refreshLastHour, refreshPercentiles } from "#lib/queue/percentiles.ts";
import type { Settlement } from "#lib/queue/settle.ts";
import { selectHourLatency } from "#lib/stats/queries.ts";
import { everyEndpoint } from "#lib/vocabulary.ts";
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
import { createEndpoint, publishMany, type TestEndpoint } from "#test/helpers/factories.ts";
import { createTestDatabase, type TestDatabase } from "#test/helpers/postgres.ts";
import { startReceiver } from "#test/helpers/receiver.ts";
import { startWorker, waitForState } from "#test/helpers/workers.ts";
import { createLatencyRecorder } from "#worker/latency.ts";

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});

type Worker = CountingWorker;
const newWorker = () => startCounting(db.pool);

const newEndpoint = () => createEndpoint(db.pool, { url: "http://127.0.0.1:9/", concurrency: 256 });

const latencyOf = async (endpoint: TestEndpoint) => {
  const database = createDatabase({
    url: db.url,
    maxConnections: 1,
    applicationName: "posthorn-web",
    statementTimeoutMs: 5_000,
    onError: () => undefined,
  });
  try {
    return (await selectEndpoint(database.orm, endpoint.id))?.health.latency ?? null;
  } finally {
    await database.pool.end();
  }
};

/** PostgreSQL's own answer over the raw samples of 24 hours. */
async function exactly(endpoint: TestEndpoint) {
  const { rows } = await db.pool.query(
    `select percentile_cont(0.5) within group (order by duration_ms) as p50,
       percentile_cont(0.95) within group (order by duration_ms) as p95,
       percentile_cont(0.99) within group (order by duration_ms) as p99, count(*)::int as samples
     from posthorn.delivery_attempts where endpoint_id = $1 and started_at > now() - interval '24 hours'`,
    [endpoint.id],
  );
  return rows[0] as { p50: number; p95: number; p99: number; samples: number };
}

async function expectExact(endpoint: TestEndpoint) {
  const latency = await latencyOf(endpoint);
  const exact = await exactly(endpoint);
  if (!latency) throw new Error("there are no percentiles");
  expect(latency.samples).toBe(exact.samples);
  for (const p of ["p50", "p95", "p99"] as const) {
    expect(Math.abs(latency[`${p}_ms`] / exact[p] - 1), p).toBeLessThan(0.01);
  }
}

async function rowsOf(endpointId: string) {
  const { rows } = await db.pool.query(
    `select resolution, worker_id, attempts, delivered from posthorn.endpoint_latency
     where endpoint_id = $1 order by resolution, bucket_at, worker_id`,
    [endpointId],
  );
  return rows;
}

const breakerOf = async (endpoint: TestEndpoint) => {
  const { rows } = await db.pool.query(
    "select breaker from posthorn.endpoint_health where endpoint_id = $1",
    [endpoint.id],
  );
  return rows[0].breaker;
};

describe("case 40: percentiles", () => {
  test.each(shapes)("%s: within one percent of percentile_cont over the raw samples", async (_, shape) => {
    const random = createRandom(7);
    const endpoint = await newEndpoint();
    const worker = await newWorker();
    const now = Date.now();
    // Older than the window, in hours that are over, and in the current one.
    await attempt(
      worker,
      endpoint,
      times(300, () => 9_000),
      { startedAtMs: now - 30 * hourMs },
    );
    for (const hoursAgo of [20, 3]) {
      await attempt(
        worker,
        endpoint,
        times(500, () => shape(random)),
        { startedAtMs: now - hoursAgo * hourMs },
      );
      await worker.recorder.flush();
    }
    await attempt(
      worker,
      endpoint,
      times(500, () => shape(random)),
    );
    await worker.recorder.flush();
    await refreshPercentiles(db.pool);
    await expectExact(endpoint);
  });

  test("two workers' samples are merged, and the deployment's are those of all endpoints", async () => {
    const random = createRandom(11);
    const [one, other] = [await newEndpoint(), await newEndpoint()];
    const workers = [await newWorker(), await newWorker()];
    for (const [i, worker] of workers.entries()) {
      await attempt(
        worker,
        one,
        times(200, () => 10 + 1_000 * i + 50 * random()),
      );
      await attempt(
        worker,
        other,
        times(100, () => 5 * random()),
      );
      await worker.recorder.flush();
    }
    await refreshPercentiles(db.pool);
    await expectExact(one);
    await expectExact(other);
    expect(samplesIn(await selectHourLatency(db.pool))).toBe(600);
  });

  test("where nothing new comes, nothing is left after a day", async () => {
    const endpoint = await newEndpoint();
    const worker = await newWorker();
    await attempt(
      worker,
      endpoint,
      times(30, () => 3_000),
    );
    await worker.recorder.flush();
    await refreshPercentiles(db.pool);
    await refreshLastHour(db.pool);
    expect(await latencyOf(endpoint)).toMatchObject({ samples: 30, slow: true });
    const day = "interval '26 hours'";
    await db.pool.query(
      `update posthorn.endpoint_latency set bucket_at = bucket_at - ${day}, written_at = written_at - ${day}`,
    );
    await db.pool.query(
      `update posthorn.endpoint_percentiles set refreshed_at = refreshed_at - ${day}, closed_until = closed_until - ${day}`,
    );
    await refreshPercentiles(db.pool);
    await refreshLastHour(db.pool);
    expect(await latencyOf(endpoint)).toBeNull();
    const { rows } = await db.pool.query(
      "select hour_samples, hour_p95_ms, slow from posthorn.endpoint_percentiles",
    );
    expect(rows).toEqual([{ hour_samples: 0, hour_p95_ms: null, slow: false }]);
  });
});

describe("freshness", () => {
  test("new attempts show with the next write and refresh; what has none is left alone", async () => {
    const [busy, quiet] = [await newEndpoint(), await newEndpoint()];
    const worker = await newWorker();
    for (const endpoint of [busy, quiet])
      await attempt(
        worker,
        endpoint,
        times(40, () => 100),
      );
    await worker.recorder.flush();
    expect(await refreshPercentiles(db.pool)).toBe(2);
    await db.pool.query("update posthorn.endpoint_latency set written_at = written_at - interval '1 minute'");
    expect(await refreshPercentiles(db.pool)).toBe(0);
    await attempt(
      worker,
      busy,
      times(40, () => 2_500),
    );
    await worker.recorder.flush();
    expect(await refreshPercentiles(db.pool)).toBe(1);
    await expectExact(busy);
    expect(await latencyOf(busy)).toMatchObject({ samples: 80, slow: true });
    expect(await latencyOf(quiet)).toMatchObject({ samples: 40, slow: false, slowing: false });
    expect(Date.now() - Date.parse((await latencyOf(busy))?.at ?? "")).toBeLessThan(60_000);
  });

  test("only one worker works them out at a time, both kinds: they write the same rows in no common order", async () => {
    const client = await db.pool.connect();
    await client.query("begin; select pg_advisory_xact_lock(hashtextextended('posthorn.percentiles', 0))");
    const endpoint = await newEndpoint();
    const worker = await newWorker();
    await attempt(worker, endpoint, [1]);
    await worker.recorder.flush();
    expect(await refreshPercentiles(db.pool)).toBe(0);
    expect(await refreshLastHour(db.pool)).toBe(0);
    await client.query("commit");
    client.release();
    expect(await refreshPercentiles(db.pool)).toBe(1);
    expect(await refreshLastHour(db.pool)).toBe(1);
  });
});

describe("flags", () => {
  const failFive = (worker: Worker, endpoint: TestEndpoint) =>
    attempt(worker, endpoint, [1, 1, 1, 1, 1], { change: { ...timedOut, reason: "server_error" } });

  test("P95 of the hour over 5 s halves the breaker's threshold until it recovers", async () => {
    const endpoint = await newEndpoint();
    const worker = await newWorker();
    const refresh = async () => {
      await worker.recorder.flush();
      await refreshLastHour(db.pool);
    };
    await attempt(
      worker,
      endpoint,
      times(10, () => 6_000),
    );
    await refresh();
    // Five of ten samples are too few to judge by, and five failures too few to open it.
    await failFive(worker, endpoint);
    expect(await breakerOf(endpoint)).toBe("closed");
    await attempt(
      worker,
      endpoint,
      times(90, () => 6_000),
    );
    await refresh();
    await failFive(worker, endpoint);
    expect(await breakerOf(endpoint)).toBe("open");
    await db.pool.query(
      "update posthorn.endpoint_health set breaker = 'closed', ready_at = now(), consecutive_failures = 0, ramp = null",
    );
    await db.pool.query("update posthorn.deliveries set next_attempt_at = 'infinity' where state = 'failed'");
    await attempt(
      worker,
      endpoint,
      times(2_000, () => 50),
    );
    await refresh();
    await failFive(worker, endpoint);
    expect(await breakerOf(endpoint)).toBe("closed");
  });

  test("slowing: the hour's P95 five times that of the week, and half a second more", async () => {
    const [slowing, steady, young] = [await newEndpoint(), await newEndpoint(), await newEndpoint()];
    const worker = await newWorker();
    const threeDaysAgo = { startedAtMs: Date.now() - 72 * hourMs };
    // The week holds these and not the current hour.
    await attempt(
      worker,
      slowing,
      times(100, () => 100),
      threeDaysAgo,
    );
    await attempt(
      worker,
      steady,
      times(100, () => 300),
      threeDaysAgo,
    );
    for (const endpoint of [slowing, steady, young])
      await attempt(
        worker,
        endpoint,
        times(25, () => 900),
      );
    await worker.recorder.flush();
    await refreshPercentiles(db.pool);
    await refreshLastHour(db.pool);
    expect(await latencyOf(slowing)).toMatchObject({ slowing: true, slow: false, samples: 25 });
    expect(await latencyOf(steady)).toMatchObject({ slowing: false });
    expect(await latencyOf(young)).toMatchObject({ slowing: false });
  });
});

describe("what is kept", () => {
  test("a worker that starts anew in the hour loses nothing that was written, one that dies what was not", async () => {
    const endpoint = await newEndpoint();
    const first = await newWorker();
    await attempt(
      first,
      endpoint,
      times(100, () => 10),
    );
    await first.recorder.flush();
    await attempt(
      first,
      endpoint,
      times(7, () => 10),
    );
    const second = await newWorker();
    await attempt(
      second,
      endpoint,
      times(50, () => 400),
    );
    await second.recorder.flush();
    await refreshPercentiles(db.pool);
    expect(await latencyOf(endpoint)).toMatchObject({ samples: 150 });
    expect((await exactly(endpoint)).samples).toBe(157);
  });

  test("a write that fails is made up for, also after its minute and hour are over", async () => {
    const endpoint = await newEndpoint();
    const { id } = await newWorker();
    let broken = true;
    const recorder = createLatencyRecorder((rows) =>
      broken ? Promise.reject(new Error("no database")) : writeLatency(db.pool, { workerId: id, rows }),
    );
    const now = Date.now();
    await attempt({ pool: db.pool, id, recorder }, endpoint, [10, 20], { startedAtMs: now - 2 * hourMs });
    await expect(recorder.flush()).rejects.toThrow("no database");
    await attempt({ pool: db.pool, id, recorder }, endpoint, [30], { startedAtMs: now });
    // Ended before what is counted already: it counts as now.
    await attempt({ pool: db.pool, id, recorder }, endpoint, [40], { startedAtMs: now - 2 * hourMs });
    await expect(recorder.flush()).rejects.toThrow("no database");
    broken = false;
    await recorder.flush();
    const expected = [2, 2].map((attempts) => ({ attempts, delivered: attempts }));
    expect(await rowsOf(endpoint.id)).toMatchObject([...expected, ...expected]);
    expect(await rowsOf(everyEndpoint)).toMatchObject([...expected, ...expected]);
  });

  test("a real worker writes when it stops", async () => {
    const receiver = await startReceiver();
    try {
      const endpoint = await createEndpoint(db.pool, { url: receiver.url("/hook") });
      const worker = await startWorker(db.url);
      await publishMany(db.pool, { affiliate: endpoint.affiliateKey, count: 30 });
      await waitForState(db.pool, "delivered", 30);
      await worker.stop();
      const total = (await rowsOf(endpoint.id)).filter((row) => row.resolution === "hour");
      expect(total.reduce((sum, row) => sum + row.attempts, 0)).toBe(30);
      expect(samplesIn(await selectHourLatency(db.pool))).toBe(30);
    } finally {
      await receiver.close();
    }
  });

  test("hours that are over become one row, whatever comes late; minutes go after three hours", async () => {
    const endpoint = await newEndpoint();
    const workers = [await newWorker(), await newWorker(), await newWorker()];
    const startedAtMs = Date.now() - 4 * hourMs;
    const settleAndWrite = async (worker: Worker, durationMs: number) => {
      await attempt(
        worker,
        endpoint,
        times(20, () => durationMs),
        { startedAtMs },
      );
      await worker.recorder.flush();
    };
    await settleAndWrite(workers[0] as Worker, 10);
    await settleAndWrite(workers[1] as Worker, 200);
    // The endpoint's, the affiliate's and the deployment's.
    expect(await rollUpLatency(db.pool)).toBe(3);
    await settleAndWrite(workers[2] as Worker, 3_000);
    expect(await rollUpLatency(db.pool)).toBe(3);
    expect(await rollUpLatency(db.pool)).toBe(0);
    const hour = { resolution: "hour", worker_id: "0", attempts: 60, delivered: 60 };
    expect((await rowsOf(endpoint.id)).filter((row) => row.resolution === "hour")).toEqual([hour]);
    await attempt(workers[0] as Worker, endpoint, [50]);
    await (workers[0] as Worker).recorder.flush();
    await refreshPercentiles(db.pool);
    await expectExact(endpoint);
    expect(await trimLatency(db.pool, "minute")).toBe(9);
    expect(await trimLatency(db.pool, "hour")).toBe(0);
    const { rows } = await db.pool.query(
      "select distinct bucket_at > now() - interval '3 hours' as recent from posthorn.endpoint_latency where resolution = 'minute'",
    );
    expect(rows).toEqual([{ recent: true }]);
  });
});

describe("costs", () => {
  test("a thousand endpoints are written in nine statements, and again only those that changed", async () => {
    const endpoint = await newEndpoint();
    const worker = await newWorker();
    const sizes: number[] = [];
    const recorder = createLatencyRecorder(async (rows) => {
      sizes.push(rows.length);
    });
    let sample: Settlement | undefined;
    await attempt(
      { ...worker, recorder: { ...recorder, count: (results) => (sample = results[0]) } },
      endpoint,
      [5],
    );
    const result = sample as Settlement;
    recorder.count(times(1_000, (i) => ({ ...result, endpointId: `endpoint-${i}` })));
    await recorder.flush();
    // The last four: by minute and by hour, for the affiliate and for the deployment.
    expect(sizes).toEqual([...Array(8).fill(latencyBatchSize), 4]);
    sizes.length = 0;
    await recorder.flush();
    expect(sizes).toEqual([]);
    recorder.count([result]);
    await recorder.flush();
    expect(sizes).toEqual([6]);
  });
});
