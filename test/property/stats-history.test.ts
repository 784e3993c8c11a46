import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { histogramOf, quantileMs } from "#lib/delivery/latency.ts";
import {
  type BreakerChange,
  breakerTrack,
  type HistoryRow,
  historyWindow,
  mergeHistory,
} from "#lib/stats/history.ts";
import { breakerStates, outcomeClasses } from "#lib/vocabulary.ts";

const dayMs = 86_400_000;
const nowMs = Date.parse("2026-03-29T12:34:56.789Z");
const iso = (ms: number) => new Date(ms).toISOString();

describe("the buckets of a range", () => {
  const chosen = fc
    .tuple(fc.integer({ min: 1, max: 90 * dayMs }), fc.integer({ min: 1, max: 91 * dayMs }))
    .map(([agoMs, lengthMs]) => ({ from: nowMs - agoMs, to: nowMs - agoMs + lengthMs }));
  test("cover it, are whole, and are few", () => {
    fc.assert(
      fc.property(chosen, ({ from, to }) => {
        const { fromMs, toMs, resolution } = historyWindow({ from: iso(from), to: iso(to) }, nowMs);
        const spanMs = { minute: 60_000, hour: 3_600_000, day: dayMs }[resolution];
        expect(fromMs % spanMs).toBe(0);
        expect(toMs % spanMs).toBe(0);
        expect(fromMs).toBeLessThanOrEqual(from);
        expect(fromMs).toBeGreaterThan(from - spanMs);
        const endMs = Math.min(to, nowMs);
        expect(toMs).toBeGreaterThanOrEqual(endMs);
        expect(toMs).toBeLessThan(endMs + spanMs);
        expect((toMs - fromMs) / spanMs).toBeGreaterThanOrEqual(1);
        expect((toMs - fromMs) / spanMs).toBeLessThanOrEqual(181);
      }),
    );
  });
  test.each([
    [{}, "2026-03-28T12:00:00.000Z", "2026-03-29T13:00:00.000Z", "hour"],
    [{ range: "1h" }, "2026-03-29T11:34:00.000Z", "2026-03-29T12:35:00.000Z", "minute"],
    [{ range: "7d" }, "2026-03-22T12:00:00.000Z", "2026-03-29T13:00:00.000Z", "hour"],
    [{ range: "30d" }, "2026-02-27T00:00:00.000Z", "2026-03-30T00:00:00.000Z", "day"],
    [{ from: "2026-03-29T09:34:57Z" }, "2026-03-29T09:34:00.000Z", "2026-03-29T12:35:00.000Z", "minute"],
    // Minutes are no longer kept.
    [{ from: "2026-03-29T09:34:56Z" }, "2026-03-29T09:00:00.000Z", "2026-03-29T13:00:00.000Z", "hour"],
  ] as const)("%o: from %s to %s by the %s", (query, from, to, resolution) => {
    const window = historyWindow(query, nowMs);
    expect([iso(window.fromMs), iso(window.toMs), window.resolution]).toEqual([from, to, resolution]);
  });
});

const sample = fc.record({
  bucket: fc.nat(4),
  worker: fc.nat(2),
  durationMs: fc.double({ min: 0.1, max: 60_000, noNaN: true }),
  outcome: fc.constantFrom(...outcomeClasses),
});
type Sample = {
  bucket: number;
  worker: number;
  durationMs: number;
  outcome: (typeof outcomeClasses)[number];
};

function rowOf(atMs: number, samples: readonly Sample[]): HistoryRow {
  const count = (name: string) => samples.filter(({ outcome }) => outcome === name).length;
  return {
    atMs,
    outcomes: Object.fromEntries(outcomeClasses.map((name) => [name, count(name)])) as HistoryRow["outcomes"],
    histogram: histogramOf(samples.map(({ durationMs }) => durationMs)),
  };
}

test("however workers share the attempts, each bucket and the total are those of all samples at once", () => {
  const window = { fromMs: 0, toMs: 5 * 3_600_000, resolution: "hour" as const };
  fc.assert(
    fc.property(fc.array(sample, { maxLength: 60 }), (samples) => {
      const groups = Map.groupBy(samples, ({ bucket, worker }) => `${bucket} ${worker}`);
      const rows = [...groups.values()].map((group) => rowOf((group[0]?.bucket ?? 0) * 3_600_000, group));
      const { buckets, total } = mergeHistory(rows, window);
      const wanted = [0, 1, 2, 3, 4].map((n) => samples.filter(({ bucket }) => bucket === n));
      expect(buckets.map(({ attempts }) => attempts)).toEqual(wanted.map(({ length }) => length));
      for (const [counts, of] of [
        [total, samples] as const,
        ...buckets.map((bucket, i) => [bucket, wanted[i] ?? []] as const),
      ]) {
        const whole = rowOf(0, of);
        expect(counts.outcomes).toEqual(of.length === 0 ? null : whole.outcomes);
        expect(counts.p95_ms).toBe(quantileMs(whole.histogram, 0.95));
      }
    }),
  );
});

describe("the breaker's track", () => {
  const changesOf = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 1_000_000 }), fc.constantFrom(...breakerStates)), {
      maxLength: 900,
    })
    .map((all): BreakerChange[] => all.sort(([a], [b]) => a - b).map(([atMs, to]) => ({ atMs, to })));

  test("has no gap, names no state twice in a row, and fits on a screen", () => {
    fc.assert(
      fc.property(changesOf, fc.constantFrom(...breakerStates), (changes, initial) => {
        const { spans } = breakerTrack({ initial, changes }, { fromMs: 0, toMs: 1_000_000 });
        expect(spans.length).toBeLessThanOrEqual(400);
        expect(Date.parse(spans[0]?.from ?? "")).toBe(0);
        expect(Date.parse(spans.at(-1)?.to ?? "")).toBe(1_000_000);
        for (const [i, span] of spans.entries()) {
          expect(span.from < span.to).toBe(true);
          const before = spans[i - 1];
          if (before) expect([before.to, before.state === span.state]).toEqual([span.from, false]);
        }
      }),
    );
  });

  test("keeps a short opening among many changes", () => {
    const many = Array.from({ length: 800 }, (_, i) => ({
      atMs: 500_000 + i * 10,
      to: i % 2 === 0 ? ("half_open" as const) : ("closed" as const),
    }));
    const changes: BreakerChange[] = [
      { atMs: 100_000, to: "open" },
      { atMs: 100_001, to: "closed" },
      ...many,
    ];
    const track = breakerTrack({ initial: "closed", changes }, { fromMs: 0, toMs: 1_000_000 });
    expect(track.spans.map(({ state }) => state)).toEqual([
      "closed",
      "open",
      "closed",
      "half_open",
      "closed",
    ]);
    expect(track).toMatchObject({ openings: 1, seconds_not_closed: 4 });
  });

  test("a probe that fails is no further opening", () => {
    const changes: BreakerChange[] = [
      { atMs: 1_000, to: "open" },
      { atMs: 61_000, to: "half_open" },
      { atMs: 62_000, to: "open" },
      { atMs: 92_000, to: "closed" },
    ];
    const { openings, seconds_not_closed } = breakerTrack(
      { initial: "closed", changes },
      { fromMs: 0, toMs: 100_000 },
    );
    expect({ openings, seconds_not_closed }).toEqual({ openings: 1, seconds_not_closed: 91 });
  });
});
