import fc from "fast-check";
import { expect, test } from "vitest";
import {
  defaultBurst,
  fullBucket,
  nextTokenAtMs,
  type RateLimit,
  refill,
  take,
  wholeTokens,
} from "#lib/delivery/token-bucket.ts";

const periodMs = { second: 1_000, minute: 60_000, hour: 3_600_000 };
const limits: fc.Arbitrary<RateLimit> = fc
  .record({
    amount: fc.integer({ min: 1, max: 100_000 }),
    per: fc.constantFrom("second", "minute", "hour"),
    ownBurst: fc.option(fc.integer({ min: 1, max: 10_000 })),
  })
  .map(({ amount, per, ownBurst }) => ({ amount, per, burst: ownBurst ?? defaultBurst(amount) }));
/** When somebody looks, and how many would like to go; clocks of several workers may step back a little. */
const looks = fc.array(
  fc.record({ afterMs: fc.integer({ min: -20, max: 120_000 }), wanted: fc.integer({ min: 0, max: 20_000 }) }),
  { maxLength: 60 },
);

test("in no span of time does more go than rate x time + burst", () => {
  fc.assert(
    fc.property(limits, looks, (limit, steps) => {
      let nowMs = 1_764_491_628_000;
      let bucket = fullBucket(limit, nowMs);
      const sent: { atMs: number; n: number }[] = [];
      for (const { afterMs, wanted } of steps) {
        nowMs += afterMs;
        bucket = refill(bucket, limit, nowMs);
        const n = Math.min(wanted, wholeTokens(bucket));
        bucket = take(bucket, n);
        sent.push({ atMs: bucket.atMs, n });
        expect(bucket.level).toBeGreaterThanOrEqual(0);
        expect(Number.isSafeInteger(bucket.level)).toBe(true);
      }
      for (let from = 0; from < sent.length; from++) {
        let total = 0;
        for (let to = from; to < sent.length; to++) {
          total += sent[to]?.n ?? 0;
          const spanMs = (sent[to]?.atMs ?? 0) - (sent[from]?.atMs ?? 0);
          // In whole numbers, so that this check rounds nothing either.
          expect((total - limit.burst) * periodMs[limit.per]).toBeLessThanOrEqual(limit.amount * spanMs);
        }
      }
    }),
  );
});

test("looking more often gives no more and no less", () => {
  fc.assert(
    fc.property(limits, fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 100 }), (limit, pauses) => {
      const empty = take(fullBucket(limit, 0), limit.burst);
      let often = empty;
      let nowMs = 0;
      for (const pause of pauses) {
        nowMs += pause;
        often = refill(often, limit, nowMs);
      }
      expect(often).toEqual(refill(empty, limit, nowMs));
    }),
  );
});

test("the next token comes exactly when it is said to", () => {
  fc.assert(
    fc.property(limits, fc.integer({ min: 0, max: 3_600_000 }), (limit, passedMs) => {
      const bucket = refill(take(fullBucket(limit, 0), limit.burst), limit, passedMs);
      const atMs = nextTokenAtMs(bucket, limit);
      expect(wholeTokens(refill(bucket, limit, atMs))).toBeGreaterThanOrEqual(1);
      if (atMs > bucket.atMs) expect(wholeTokens(refill(bucket, limit, atMs - 1))).toBe(0);
    }),
  );
});

test("case 23: at 100 a minute 1,000 leave within 10 minutes, and never more than 110 in any minute", () => {
  const limit: RateLimit = { amount: 100, per: "minute", burst: defaultBurst(100) };
  let bucket = fullBucket(limit, 0);
  const sentAtMs: number[] = [];
  for (let nowMs = 0; sentAtMs.length < 1_000; nowMs = Math.max(nowMs + 1, nextTokenAtMs(bucket, limit))) {
    bucket = refill(bucket, limit, nowMs);
    const n = wholeTokens(bucket);
    for (let i = 0; i < n; i++) sentAtMs.push(nowMs);
    bucket = take(bucket, n);
  }
  expect(sentAtMs.at(-1)).toBeLessThan(600_000);
  for (const start of sentAtMs)
    expect(sentAtMs.filter((at) => at >= start && at < start + 60_000).length).toBeLessThanOrEqual(110);
});
