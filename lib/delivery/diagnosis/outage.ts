import type { Reason } from "#lib/vocabulary.ts";
import { longerRetry, moreAttempts } from "./advice.ts";
import type { Lasts } from "./lasting.ts";
import {
  countOf,
  countWords,
  deliveriesWords,
  evidenceOf,
  filterFor,
  type Letters,
  spanOf,
  spanWords,
} from "./letters.ts";
import { bucketMs, type EndpointHistory, type Evidence, type Finding, type RemedyAction } from "./types.ts";

/** Their server was away, or too slow, or failed: what another attempt may change. */
const outageReasons: ReadonlySet<Reason> = new Set([
  "dns_error",
  "connection_refused",
  "connection_reset",
  "connection_failed",
  "tls_failed",
  "timeout",
  "invalid_response",
  "request_timeout",
  "server_error",
]);

export type OutageThresholds = { count: number; withinMinutes: number; share: number };
export type SlowThresholds = { days: number; activeShare: number; perDay: number; unevenness: number };

const dayMs = 86_400_000;

/** The stretches of an endpoint in which a cluster lies: many at once, and most of them an outage's. */
export function outageBuckets(
  letters: readonly Letters[],
  { count, withinMinutes, share }: OutageThresholds,
): Set<number> {
  const sums = new Map<number, { all: number; outage: number }>();
  for (const letter of letters) {
    const sum = sums.get(letter.bucket) ?? { all: 0, outage: 0 };
    sum.all += letter.count;
    if (outageReasons.has(letter.reason)) sum.outage += letter.count;
    sums.set(letter.bucket, sum);
  }
  const width = Math.max(1, Math.floor((withinMinutes * 60_000) / bucketMs));
  const found = new Set<number>();
  const stretches = [...sums];
  let from = 0;
  let [all, outage] = [0, 0];
  for (const [at, [bucket, sum]] of stretches.entries()) {
    all += sum.all;
    outage += sum.outage;
    for (let first = stretches[from]; first && first[0] <= bucket - width; first = stretches[++from]) {
      all -= first[1].all;
      outage -= first[1].outage;
    }
    if (all < count || outage < share * all) continue;
    for (const [inside] of stretches.slice(from, at + 1)) found.add(inside);
  }
  return found;
}

/** Those of an outage that was found before, by its evidence. */
export function bucketsOf({ first_at, last_at }: Evidence): Set<number> {
  const first = Math.floor(Date.parse(first_at) / bucketMs);
  const end = Math.ceil(Date.parse(last_at) / bucketMs);
  return new Set(Array.from({ length: Math.max(1, end - first) }, (_, n) => first + n));
}

/** Many deliveries given up within an hour, since their server was away. */
export function outageFinding(
  history: EndpointHistory,
  letters: readonly Letters[],
  cluster: ReadonlySet<number>,
): Finding | null {
  const within = outageLetters(letters, cluster);
  if (within.length === 0) return null;
  const { firstAtMs, endsAtMs } = spanOf(within);
  const retry = longerRetry(history, endsAtMs - firstAtMs);
  const actions: RemedyAction[] = [
    ...(retry ? [{ kind: "set_retry" as const, retry }] : []),
    { kind: "open_setting", setting: "retry" },
    { kind: "requeue", filter: filterFor(history.endpointId, within) },
  ];
  return {
    kind: "outage",
    affiliateId: history.affiliateId,
    endpointId: history.endpointId,
    eventType: null,
    eventId: null,
    reason: null,
    evidence: evidenceOf(within),
    sentence: `Their server was away or failing: ${deliveriesWords(countOf(within))} used up their attempts within ${spanWords(endsAtMs - firstAtMs)}.`,
    remedy: retry
      ? "Keep trying for longer than such an outage lasts, and put these back once it answers."
      : "It keeps trying for long already: put these back once it answers.",
    actions,
  };
}

/** What an outage is the cause of, in the stretches of a cluster. */
export function outageLetters(letters: readonly Letters[], cluster: ReadonlySet<number>): Letters[] {
  return letters.filter(({ bucket, reason }) => cluster.has(bucket) && outageReasons.has(reason));
}

/** A few a day, day after day: not an outage, but attempts that do not suffice. */
export function slowFinding(
  history: EndpointHistory,
  letters: readonly Letters[],
  { cluster, thresholds, lasts }: { cluster: ReadonlySet<number>; thresholds: SlowThresholds; lasts: Lasts },
): Finding | null {
  const rest = letters.filter(({ bucket, reason }) => !cluster.has(bucket) && outageReasons.has(reason));
  const count = countOf(rest);
  if (count === 0) return null;
  if (!isEven(rest, thresholds) && !lasts({ kind: "slow_accumulation", count })) return null;
  const { firstAtMs, endsAtMs } = spanOf(rest);
  const days = Math.max(1, Math.round((endsAtMs - firstAtMs) / dayMs));
  const timeouts = countOf(rest.filter(({ reason }) => reason === "timeout"));
  const timeoutMs = timeouts * 2 >= count ? lowerTimeoutMs(history) : null;
  const attempts = moreAttempts(history, { dead: count, sinceMs: firstAtMs });
  const retry = attempts && {
    max_attempts: attempts,
    base_seconds: history.baseSeconds,
    cap_seconds: history.capSeconds,
  };
  const perDay = Math.max(1, Math.round(count / days));
  return {
    kind: "slow_accumulation",
    affiliateId: history.affiliateId,
    endpointId: history.endpointId,
    eventType: null,
    eventId: null,
    reason: null,
    evidence: evidenceOf(rest),
    sentence: `About ${countWords(perDay)} a day for ${days} d are given up after ${history.maxAttempts} ${history.maxAttempts === 1 ? "attempt" : "attempts"}, without any outage: it is too few for how often this endpoint fails.`,
    remedy:
      timeoutMs === null
        ? "Raise the attempts of this endpoint, then put these back."
        : "Lower the timeout, which most of these ran into, or raise the attempts, then put these back.",
    actions: [
      ...(retry ? [{ kind: "set_retry" as const, retry }] : []),
      ...(timeoutMs === null ? [] : [{ kind: "set_timeout" as const, timeout_ms: timeoutMs }]),
      { kind: "open_setting", setting: "retry" },
      { kind: "requeue", filter: filterFor(history.endpointId, rest) },
    ],
  };
}

function isEven(letters: readonly Letters[], thresholds: SlowThresholds): boolean {
  const { firstAtMs, endsAtMs } = spanOf(letters);
  const days = new Map<number, number>();
  for (const { bucket, count } of letters) {
    const day = Math.floor((bucket * bucketMs - firstAtMs) / dayMs);
    days.set(day, (days.get(day) ?? 0) + count);
  }
  const spannedDays = Math.ceil((endsAtMs - firstAtMs) / dayMs);
  const perDay = countOf(letters) / spannedDays;
  return (
    spannedDays >= thresholds.days &&
    days.size >= thresholds.activeShare * spannedDays &&
    perDay <= thresholds.perDay &&
    Math.max(...days.values()) <= thresholds.unevenness * Math.max(1, perDay)
  );
}

/** Three times what nearly every answer takes, in whole seconds; null where that is no less than it waits now. */
function lowerTimeoutMs({ p95Ms, timeoutMs }: EndpointHistory): number | null {
  if (p95Ms === null) return null;
  const suggestedMs = Math.max(1_000, Math.ceil((3 * p95Ms) / 1_000) * 1_000);
  return suggestedMs < timeoutMs ? suggestedMs : null;
}
