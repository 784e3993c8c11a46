import { expect, it, test } from "vitest";
import {
  defaultBurst,
  fullBucket,
  nextTokenAtMs,
  type RateLimit,
  refill,
  take,
  tokenParts,
  wholeTokens,
} from "#lib/delivery/token-bucket.ts";

test("the burst is a tenth of the rate, at least 1", () => {
  expect([1, 5, 10, 19, 20, 100, 1_000].map(defaultBurst)).toEqual([1, 1, 1, 1, 2, 10, 100]);
});

test("a full bucket holds the burst", () => {
  expect(wholeTokens(fullBucket({ amount: 100, per: "minute", burst: 10 }, 5))).toBe(10);
});

const intervals: [RateLimit["per"], number, number][] = [
  ["second", 1, 1_000],
  ["second", 1_000, 1],
  ["second", 7, 143],
  ["minute", 100, 600],
  ["minute", 7, 8_572],
  ["hour", 1, 3_600_000],
  ["hour", 7, 514_286],
];
it.each(intervals)("%s: %i give a token every %i ms, rounded up", (per, amount, intervalMs) => {
  const limit = { amount, per, burst: 1 };
  const empty = take(fullBucket(limit, 50), 1);
  expect(empty).toEqual({ level: 0, atMs: 50 });
  expect(nextTokenAtMs(empty, limit)).toBe(50 + intervalMs);
  expect(wholeTokens(refill(empty, limit, 50 + intervalMs - 1))).toBe(0);
  expect(wholeTokens(refill(empty, limit, 50 + intervalMs))).toBe(1);
});

test("it never holds more than the burst, however long nothing was sent", () => {
  const limit: RateLimit = { amount: 1_000_000, per: "second", burst: 1_000_000 };
  expect(refill({ level: 0, atMs: 0 }, limit, 1_764_491_628_000)).toEqual({
    level: 1_000_000 * tokenParts,
    atMs: 1_764_491_628_000,
  });
});

test("a lower burst cuts what is there", () => {
  const bucket = { level: 10 * tokenParts, atMs: 0 };
  expect(wholeTokens(refill(bucket, { amount: 20, per: "minute", burst: 2 }, 0))).toBe(2);
});

test("a clock that steps back adds nothing and takes nothing", () => {
  const limit: RateLimit = { amount: 60, per: "minute", burst: 6 };
  const bucket = { level: 3 * tokenParts, atMs: 5_000 };
  expect(refill(bucket, limit, 1_000)).toEqual(bucket);
});

test("with a token there, the next one is now", () => {
  const limit: RateLimit = { amount: 60, per: "minute", burst: 6 };
  expect(nextTokenAtMs({ level: tokenParts, atMs: 70 }, limit)).toBe(70);
  expect(nextTokenAtMs({ level: 2.5 * tokenParts, atMs: 70 }, limit)).toBe(70);
  expect(nextTokenAtMs({ level: tokenParts - 1, atMs: 70 }, limit)).toBe(71);
});
