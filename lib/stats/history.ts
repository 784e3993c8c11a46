import { type LatencyHistogram, mergeHistograms, quantileMs } from "#lib/delivery/latency.ts";
import { invalidField } from "#lib/errors.ts";
import { type BreakerState, type OutcomeClass, outcomeClasses } from "#lib/vocabulary.ts";
import { type HistoryResolution, rangeMs, resolutionMs } from "./ranges.ts";
import type { BreakerTrack, History, HistoryCounts, HistoryQuery } from "./schema.ts";

/** As lib/queue/latency.ts keeps them. */
const minutesKeptMs = 3 * resolutionMs.hour;
const keptMs = 90 * resolutionMs.day;
const longestInHoursMs = 7 * resolutionMs.day;

/** Whole buckets of one resolution. */
export type HistoryWindow = { fromMs: number; toMs: number; resolution: HistoryResolution };

/**
 * The buckets that answer a query: minutes up to three hours, while they are kept, hours up to seven days, else days;
 * so there are at most 181. A 422 for a range that lies outside of what is kept.
 */
export function historyWindow({ range, from, to }: HistoryQuery, nowMs: number): HistoryWindow {
  const endMs = to === undefined ? nowMs : Math.min(Date.parse(to), nowMs);
  const startMs = from === undefined ? endMs - rangeMs[range ?? "24h"] : Date.parse(from);
  if (startMs >= nowMs) throw invalidField("from", "must be in the past");
  if (startMs < nowMs - keptMs)
    throw invalidField("from", "must be within the last 90 days, for which history is kept");
  const resolution = resolutionOf(startMs, endMs, nowMs);
  const span = resolutionMs[resolution];
  return {
    fromMs: Math.floor(startMs / span) * span,
    toMs: Math.ceil(endMs / span) * span,
    resolution,
  };
}

function resolutionOf(startMs: number, endMs: number, nowMs: number): HistoryResolution {
  if (startMs >= nowMs - minutesKeptMs) return "minute";
  return endMs - startMs <= longestInHoursMs ? "hour" : "day";
}

/** What is stored of one bucket, in as many rows as there are workers, or days of hours. */
export type HistoryRow = {
  atMs: number;
  outcomes: Record<OutcomeClass, number>;
  histogram: LatencyHistogram;
};

/** One entry for each bucket of the window, and all of them in one. */
export function mergeHistory(
  rows: readonly HistoryRow[],
  { fromMs, toMs, resolution }: HistoryWindow,
): Pick<History, "buckets" | "total"> {
  const span = resolutionMs[resolution];
  const byBucket = Map.groupBy(rows, ({ atMs }) => Math.floor(atMs / span) * span);
  const starts = Array.from({ length: (toMs - fromMs) / span }, (_, i) => fromMs + i * span);
  return {
    buckets: starts.map((atMs) => ({
      at: new Date(atMs).toISOString(),
      ...countsOf(byBucket.get(atMs) ?? []),
    })),
    total: countsOf(rows),
  };
}

function countsOf(rows: readonly HistoryRow[]): HistoryCounts {
  const histogram = mergeHistograms(rows.map((row) => row.histogram));
  const outcomes = Object.fromEntries(
    outcomeClasses.map((name) => [name, rows.reduce((sum, row) => sum + row.outcomes[name], 0)]),
  ) as Record<OutcomeClass, number>;
  return {
    attempts: outcomeClasses.reduce((sum, name) => sum + outcomes[name], 0),
    p50_ms: quantileMs(histogram, 0.5),
    p95_ms: quantileMs(histogram, 0.95),
    p99_ms: quantileMs(histogram, 0.99),
    outcomes: rows.length === 0 ? null : outcomes,
  };
}

export type BreakerChange = { atMs: number; to: BreakerState };

/** More than fit beside each other on a screen. */
const mostSpans = 400;
const worstFirst = ["open", "half_open", "closed"] as const satisfies readonly BreakerState[];

/** The states from one time to another, of the state at its beginning and the changes since, oldest first. */
export function breakerTrack(
  { initial, changes }: { initial: BreakerState; changes: readonly BreakerChange[] },
  { fromMs, toMs }: { fromMs: number; toMs: number },
): BreakerTrack {
  const spans: Span[] = [];
  let openings = 0;
  let state = initial;
  let sinceMs = fromMs;
  const endAt = (atMs: number) => {
    if (atMs > sinceMs) push(spans, { state, fromMs: sinceMs, toMs: atMs });
    sinceMs = Math.max(sinceMs, atMs);
  };
  for (const { atMs, to } of changes) {
    endAt(Math.min(atMs, toMs));
    if (state === "closed" && to === "open") openings++;
    state = to;
  }
  endAt(toMs);
  const notClosedMs = spans.reduce((sum, s) => sum + (s.state === "closed" ? 0 : s.toMs - s.fromMs), 0);
  const shown = spans.length > mostSpans ? coarser(spans, { fromMs, toMs }) : spans;
  return {
    spans: shown.map((span) => ({
      state: span.state,
      from: new Date(span.fromMs).toISOString(),
      to: new Date(span.toMs).toISOString(),
    })),
    openings,
    seconds_not_closed: Math.round(notClosedMs / 1_000),
  };
}

type Span = { state: BreakerState; fromMs: number; toMs: number };

/** Adds to the last one where that has the same state. */
function push(spans: Span[], span: Span): void {
  const last = spans.at(-1);
  if (last?.state === span.state) last.toMs = span.toMs;
  else spans.push(span);
}

/** Each slice of the time with the worst state that it has seen, so that no short opening is lost. */
function coarser(spans: readonly Span[], { fromMs, toMs }: { fromMs: number; toMs: number }): Span[] {
  const result: Span[] = [];
  const sliceMs = (toMs - fromMs) / mostSpans;
  for (let slice = 0, next = 0; slice < mostSpans; slice++) {
    const [startMs, endMs] = [fromMs + slice * sliceMs, fromMs + (slice + 1) * sliceMs];
    while ((spans[next]?.toMs ?? toMs) <= startMs && next < spans.length - 1) next++;
    let last = next;
    while ((spans[last + 1]?.fromMs ?? toMs) < endMs && last < spans.length - 1) last++;
    const seen = new Set(spans.slice(next, last + 1).map(({ state }) => state));
    const state = worstFirst.find((candidate) => seen.has(candidate)) ?? "closed";
    push(result, { state, fromMs: startMs, toMs: endMs });
  }
  return result;
}
