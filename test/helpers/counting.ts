import type pg from "pg";
import { claim, firstLane } from "#lib/queue/claim.ts";
import { fanOut } from "#lib/queue/fan-out.ts";
import { writeLatency } from "#lib/queue/latency.ts";
import { type Settlement, settle } from "#lib/queue/settle.ts";
import { registerWorker } from "#lib/queue/workers.ts";
import { fanOutOptions, publishMany, type TestEndpoint } from "#test/helpers/factories.ts";
import { resultOf } from "#test/helpers/settlements.ts";
import { createLatencyRecorder, type LatencyRecorder } from "#worker/latency.ts";

export const hourMs = 3_600_000;

/** A worker that settles what it is told, and counts it as a real one does. */
export type CountingWorker = { pool: pg.Pool; id: string; recorder: LatencyRecorder };

export async function startCounting(pool: pg.Pool): Promise<CountingWorker> {
  const { id } = await registerWorker(pool, { hostname: "test", pid: 1, version: "test" });
  return { pool, id, recorder: createLatencyRecorder((rows) => writeLatency(pool, { workerId: id, rows })) };
}

export const timedOut = {
  state: "failed",
  outcome: "transient",
  attemptReason: "timeout",
  reason: "timeout",
  delayMs: hourMs,
  verdict: "failure",
  status: null,
} as const;

let token = 0;

/**
 * Makes one attempt for each duration, of 15 s and more a timeout, and settles it. Other endpoints of the affiliate
 * get as many, as long.
 */
export async function attempt(
  { pool, id: workerId, recorder }: CountingWorker,
  endpoint: TestEndpoint,
  durationsMs: number[],
  // So that the longest of them ends now and none in a minute that has not begun.
  {
    startedAtMs = Date.now() - Math.max(...durationsMs),
    endedAtMs,
    change = {},
  }: { startedAtMs?: number; endedAtMs?: number; change?: Partial<Settlement> } = {},
): Promise<void> {
  await publishMany(pool, { affiliate: endpoint.affiliateKey, count: durationsMs.length });
  while ((await fanOut(pool, fanOutOptions)) > 0);
  for (let settled = 0; ; ) {
    const { rows } = await claim(pool, {
      after: firstLane,
      want: 500,
      workerId,
      leaseToken: String(++token),
      workersAlive: 1,
    });
    if (rows.length === 0 && settled < durationsMs.length) throw new Error("nothing could be claimed");
    if (rows.length === 0) return;
    const results: Settlement[] = rows.map((row, i) => {
      const durationMs = durationsMs[(settled + i) % durationsMs.length] as number;
      return resultOf(row, {
        startedAtMs: endedAtMs === undefined ? startedAtMs : endedAtMs - durationMs,
        durationMs,
        url: endpoint.id,
        affiliateId: endpoint.affiliateId,
        ...(durationMs >= 15_000 ? timedOut : {}),
        ...change,
      });
    });
    await settle(pool, { workerId, results });
    recorder.count(results);
    settled += rows.length;
  }
}

/** Evenly spread in [0, 1), the same in every run. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

export const times = <T>(count: number, make: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i));

/** Durations as they are hard to sum up. */
export const shapes: [string, (random: () => number) => number][] = [
  [
    "skewed",
    (random) => 40 * Math.exp(2 * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(6.283 * random())),
  ],
  ["bimodal", (random) => (random() < 0.6 ? 20 + 10 * random() : 3_000 + 900 * random())],
  ["timeout-heavy", (random) => (random() < 0.3 ? 15_000 + 5 * random() : 80 + 400 * random() ** 3)],
];
