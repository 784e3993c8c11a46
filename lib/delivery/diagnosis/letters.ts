import type { Reason } from "#lib/vocabulary.ts";
import { type Answers, bucketMs, type DeadLetterGroup, type Evidence, type LetterFilter } from "./types.ts";

/** One stretch of one group. */
export type Letters = Pick<DeadLetterGroup, "reason" | "status" | "eventType"> & {
  bucket: number;
  count: number;
  sampleId: number;
  attempts: number;
};

const samplesShown = 3;

/** The groups of one endpoint as stretches, the earliest first. */
export function lettersOf(groups: readonly DeadLetterGroup[]): Letters[] {
  return groups
    .flatMap(({ reason, status, eventType, buckets }) =>
      buckets.map(({ number, count, sampleId, attempts }) => ({
        reason,
        status,
        eventType,
        bucket: number,
        count,
        sampleId,
        attempts,
      })),
    )
    .sort((a, b) => a.bucket - b.bucket);
}

export function countOf(letters: readonly Letters[]): number {
  return letters.reduce((sum, { count }) => sum + count, 0);
}

/** After how many attempts they were given up: of the endpoint's limit as it was then. */
export function attemptsOf(letters: readonly Letters[]): number {
  return letters.reduce((most, { attempts }) => Math.max(most, attempts), 1);
}

/** Where letters begin and end, to the stretch; they must not be empty. */
export function spanOf(letters: readonly Letters[]): { firstAtMs: number; endsAtMs: number } {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { bucket } of letters) {
    first = Math.min(first, bucket);
    last = Math.max(last, bucket);
  }
  return { firstAtMs: first * bucketMs, endsAtMs: (last + 1) * bucketMs };
}

/**
 * The latest `count` of them, and what came in the same hours: whole hours are what an endpoint's past is known by.
 * `letters` must be in order.
 */
export function latestRun(letters: readonly Letters[], count: number): { count: number; sinceMs: number } {
  let latest = 0;
  let sinceMs = Number.POSITIVE_INFINITY;
  for (const { bucket, count: inside } of letters.toReversed()) {
    const hourMs = Math.floor((bucket * bucketMs) / 3_600_000) * 3_600_000;
    if (latest >= count && hourMs < sinceMs) break;
    latest += inside;
    sinceMs = hourMs;
  }
  return { count: latest, sinceMs };
}

export function evidenceOf(letters: readonly Letters[]): Evidence {
  const { firstAtMs, endsAtMs } = spanOf(letters);
  const count = countOf(letters);
  return {
    count,
    most: count,
    first_at: isoOf(firstAtMs),
    last_at: isoOf(endsAtMs),
    samples: newestOf(letters.map(({ sampleId }) => sampleId)),
    answers: answersOf(letters),
    endpoints: 1,
  };
}

export function newestOf(ids: readonly number[]): string[] {
  return [...new Set(ids)]
    .sort((a, b) => b - a)
    .slice(0, samplesShown)
    .map(String);
}

export function answersOf(letters: readonly Pick<Letters, "reason" | "status" | "count">[]): Answers {
  const sums = new Map<string, Answers[number]>();
  for (const { reason, status, count } of letters) {
    const key = `${reason} ${status}`;
    const sum = sums.get(key);
    if (sum) sum.count += count;
    else sums.set(key, { reason, status, count });
  }
  return [...sums].sort(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1)).map(([, sum]) => sum);
}

/** The filter that finds these letters, and such as came between them. */
export function filterFor(
  endpointId: string,
  letters: readonly Letters[],
  given: { eventType?: string } = {},
): LetterFilter {
  const { firstAtMs, endsAtMs } = spanOf(letters);
  return {
    endpoint: endpointId,
    reasons: reasonsOf(letters),
    status: null,
    event_type: given.eventType ?? null,
    from: isoOf(firstAtMs),
    to: isoOf(endsAtMs),
  };
}

function reasonsOf(letters: readonly Letters[]): Reason[] {
  return [...new Set(letters.map(({ reason }) => reason))].sort();
}

export function isoOf(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** `3 d`, `5 h`, `40 min`: a span in its largest unit, rounded. */
export function spanWords(ms: number): string {
  const units = [
    { ms: 86_400_000, name: "d" },
    { ms: 3_600_000, name: "h" },
  ];
  const unit = units.find((candidate) => ms >= candidate.ms) ?? { ms: 60_000, name: "min" };
  return `${Math.max(1, Math.round(ms / unit.ms))} ${unit.name}`;
}

/** `1 delivery`, `1,250 deliveries`. */
export function deliveriesWords(count: number): string {
  return `${countWords(count)} ${count === 1 ? "delivery" : "deliveries"}`;
}

export function countWords(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
