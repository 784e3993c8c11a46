import { describe, expect, it, test } from "vitest";
import {
  emptyHistogram,
  histogramOf,
  mergeHistograms,
  quantileMs,
  samplesIn,
} from "#lib/delivery/latency.ts";
import { breakerThreshold, isSlow, isSlowing } from "#lib/delivery/slow.ts";

describe("the latency histogram", () => {
  test("has no quantile while it is empty", () => {
    expect(quantileMs(emptyHistogram, 0.95)).toBeNull();
    expect(histogramOf([])).toEqual(emptyHistogram);
    expect(samplesIn(emptyHistogram)).toBe(0);
  });
  test("counts what is as fast as 0.1 ms, and faster, as 0.1 ms", () => {
    for (const durationMs of [0, 0.05, 0.1]) {
      expect(histogramOf([durationMs])).toEqual({ buckets: [0], counts: [1] });
      expect(quantileMs(histogramOf([durationMs]), 0.5)).toBe(0.1);
    }
    expect(histogramOf([0.1001])).toEqual({ buckets: [1], counts: [1] });
  });
  test("is sparse and in order", () => {
    const histogram = histogramOf([10, 0.1, 60_000, 10]);
    expect(histogram).toEqual({ buckets: [0, 310, 894], counts: [1, 2, 1] });
    expect(samplesIn(histogram)).toBe(4);
  });
  test("interpolates between two neighbours", () => {
    const histogram = histogramOf([100, 200]);
    const [low, high] = [quantileMs(histogram, 0) as number, quantileMs(histogram, 1) as number];
    expect(Math.abs(low / 100 - 1)).toBeLessThan(0.0075);
    expect(Math.abs(high / 200 - 1)).toBeLessThan(0.0075);
    expect(quantileMs(histogram, 0.25)).toBeCloseTo(low + (high - low) / 4, 9);
    expect(quantileMs(histogramOf([7]), 0.99)).toBe(quantileMs(histogramOf([7]), 0));
  });
  test("merges", () => {
    const sum = mergeHistograms([histogramOf([1, 2]), emptyHistogram, histogramOf([2, 3])]);
    expect(sum).toEqual(histogramOf([1, 2, 2, 3]));
    expect(mergeHistograms([])).toEqual(emptyHistogram);
  });
});

describe("slow endpoints", () => {
  it.each([
    [2_000.1, 20, true],
    [2_000, 20, false],
    [9_000, 19, false],
    [null, 0, false],
    [null, 20, false],
  ])("P95 %s of %i samples: slow %s", (valueMs, samples, slow) => {
    expect(isSlow({ valueMs, samples })).toBe(slow);
  });
  it.each([
    [1_000, 200, true],
    [999, 200, false],
    [625, 125, true],
    [624, 124, true],
    [620, 124, false],
    [500, 1, false],
    [501, 1, true],
    [null, 1, false],
    [9_000, null, false],
    [0, 0, false],
  ])("P95 %s in the hour, %s in the week: slowing %s", (hourMs, weekMs, slowing) => {
    expect(isSlowing({ hourMs, weekMs })).toBe(slowing);
  });
  it.each([
    [null, 10],
    [0, 10],
    [5_000, 10],
    [5_000.1, 5],
  ])("P95 %s: the breaker opens after %i", (p95Ms, threshold) => {
    expect(breakerThreshold(p95Ms)).toBe(threshold);
  });
});
