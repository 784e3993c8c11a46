import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { histogramOf, mergeHistograms, quantileMs } from "#lib/delivery/latency.ts";

/** As percentile_cont computes it. */
function exactQuantile(durationsMs: number[], q: number): number {
  const sorted = [...durationsMs].sort((a, b) => a - b);
  const rank = q * (sorted.length - 1);
  const below = sorted[Math.floor(rank)] as number;
  return below + ((sorted[Math.ceil(rank)] as number) - below) * (rank - Math.floor(rank));
}

const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const timeoutMs = 15_000;
/** A long tail: most answers are quick, a few take a hundred times as long. */
const skewed = unit.map((u) => Math.min(60_000, 5 / (1 - u) ** 1.5));
const bimodal = fc.tuple(fc.boolean(), unit).map(([slow, u]) => (slow ? 4_000 + u * 500 : 12 + u * 3));
const timeoutHeavy = fc
  .tuple(fc.nat(9), unit)
  .map(([kind, u]) => (kind < 4 ? timeoutMs + u * 20 : 30 + u * 200));
const anything = fc.double({ min: 0.1, max: 120_000, noNaN: true });

describe("case 40: P50, P95 and P99 lie within 1 % of percentile_cont", () => {
  const shapes = { skewed, bimodal, timeoutHeavy, anything };
  test.each(Object.entries(shapes))("%s", (_, shape) => {
    fc.assert(
      fc.property(fc.array(shape, { minLength: 1, maxLength: 400 }), (durationsMs) => {
        const histogram = histogramOf(durationsMs);
        for (const q of [0, 0.5, 0.95, 0.99, 1]) {
          const exact = exactQuantile(durationsMs, q);
          expect(Math.abs((quantileMs(histogram, q) as number) - exact)).toBeLessThanOrEqual(0.0075 * exact);
        }
      }),
    );
  });
});

test("it does not matter how samples were split, or in which order they are added", () => {
  fc.assert(
    fc.property(fc.array(fc.array(anything, { maxLength: 30 }), { maxLength: 8 }), (parts) => {
      const whole = histogramOf(parts.flat());
      expect(mergeHistograms(parts.map(histogramOf))).toEqual(whole);
      expect(mergeHistograms(parts.toReversed().map(histogramOf))).toEqual(whole);
    }),
  );
});

test("an hour of a busy endpoint stays small", () => {
  const durationsMs = Array.from({ length: 100_000 }, (_, i) => 0.1 * 600_000 ** (i / 100_000));
  expect(histogramOf(durationsMs).buckets.length).toBeLessThan(900);
});
