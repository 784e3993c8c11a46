import type { Reason } from "#lib/vocabulary.ts";
import { longerRetry, moreAttempts, triesForMs } from "./advice.ts";
import type { Lasts, OpenFindings } from "./lasting.ts";
import {
  attemptsOf,
  countOf,
  countWords,
  deliveriesWords,
  evidenceOf,
  filterFor,
  isoOf,
  type Letters,
  spanOf,
  spanWords,
} from "./letters.ts";
import {
  bucketMs,
  type EndpointHistory,
  type Evidence,
  type Finding,
  findingKey,
  type RemedyAction,
} from "./types.ts";

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

/** From one stretch to another, both within. */
type Run = { first: number; last: number };
/** `run` is when it began as it was first found, which tells the outages of an endpoint apart. */
export type Outage = Run & { run: string | null };

/**
 * The outages of an endpoint, the earliest first, none of which touch: those found now, and those that were found before
 * and last. One that was found before keeps its name, also where it grows, shrinks, or takes in another.
 */
export function outagesOf(
  letters: readonly Letters[],
  given: { endpointId: string; open: OpenFindings; lasts: Lasts; thresholds: OutageThresholds },
): Outage[] {
  const { endpointId, lasts, thresholds } = given;
  const before = [...given.open.values()]
    .filter((finding) => finding.kind === "outage" && finding.endpointId === endpointId)
    .map(({ evidence, run }): Outage => ({ ...runOf(evidence), run }));
  const lasting = before.filter((outage) =>
    lasts({ kind: "outage", run: outage.run, count: countOf(outageLetters(letters, [outage])) }),
  );
  return joined([...runsOf(letters, thresholds), ...lasting], { gap: 0 }).map((found) => {
    const known = before.find((outage) => outage.first <= found.last && outage.last >= found.first);
    return { ...found, run: known ? known.run : isoOf(found.first * bucketMs) };
  });
}

/** Where many lie at once, most of them an outage's; what is within an hour of another is the same outage. */
function runsOf(letters: readonly Letters[], { count, withinMinutes, share }: OutageThresholds): Run[] {
  const sums = new Map<number, { all: number; outage: number }>();
  for (const letter of letters) {
    const sum = sums.get(letter.bucket) ?? { all: 0, outage: 0 };
    sum.all += letter.count;
    if (outageReasons.has(letter.reason)) sum.outage += letter.count;
    sums.set(letter.bucket, sum);
  }
  // One stretch more than fit: what lies within the hour may begin and end in the midst of one.
  const width = Math.ceil((withinMinutes * 60_000) / bucketMs) + 1;
  const found: Run[] = [];
  const stretches = [...sums];
  let from = 0;
  let [all, outage] = [0, 0];
  for (const [bucket, sum] of stretches) {
    all += sum.all;
    outage += sum.outage;
    for (let first = stretches[from]; first && first[0] <= bucket - width; first = stretches[++from]) {
      all -= first[1].all;
      outage -= first[1].outage;
    }
    if (all < count || outage < share * all) continue;
    found.push({ first: stretches[from]?.[0] ?? bucket, last: bucket });
  }
  return joined(found, { gap: width });
}

/** Runs with less than so many stretches between them as one. */
function joined(runs: readonly Run[], { gap }: { gap: number }): Run[] {
  const result: Run[] = [];
  for (const { first, last } of runs.toSorted((a, b) => a.first - b.first)) {
    const previous = result.at(-1);
    if (previous && first <= previous.last + gap) previous.last = Math.max(previous.last, last);
    else result.push({ first, last });
  }
  return result;
}

function runOf({ first_at, last_at }: Evidence): Run {
  const first = Math.floor(Date.parse(first_at) / bucketMs);
  return { first, last: Math.max(first, Math.ceil(Date.parse(last_at) / bucketMs) - 1) };
}

/** Whether a stretch lies in one of them. */
export function isWithin(outages: readonly Run[], bucket: number): boolean {
  return outages.some(({ first, last }) => bucket >= first && bucket <= last);
}

/** Many deliveries given up within an hour, since their server was away. */
export function outageFinding(
  history: EndpointHistory,
  letters: readonly Letters[],
  outage: Outage,
): Finding | null {
  const within = outageLetters(letters, [outage]);
  if (within.length === 0) return null;
  const { firstAtMs, endsAtMs } = spanOf(within);
  const retry = longerRetry(history, { outageMs: endsAtMs - firstAtMs, attempts: attemptsOf(within) });
  const actions: RemedyAction[] = [
    ...(retry ? [{ kind: "set_retry" as const, retry }] : []),
    { kind: "open_setting", setting: "retry" },
    { kind: "requeue", mode: "same_url", filter: filterFor(history.endpointId, within) },
  ];
  return {
    kind: "outage",
    affiliateId: history.affiliateId,
    endpointId: history.endpointId,
    eventType: null,
    eventId: null,
    reason: null,
    run: outage.run,
    evidence: evidenceOf(within),
    sentence: `Their server was away or failing: ${deliveriesWords(countOf(within))} used up their attempts within ${spanWords(endsAtMs - firstAtMs)}.`,
    remedy: retry
      ? "Keep trying for longer than such an outage lasts, and put these back once it answers."
      : triesForMs(history) > endsAtMs - firstAtMs
        ? "It keeps trying for long already: put these back once it answers."
        : "It lasted for longer than any retries do: put these back once it answers.",
    actions,
  };
}

/** What outages are the cause of. */
function outageLetters(letters: readonly Letters[], outages: readonly Run[]): Letters[] {
  return letters.filter(({ bucket, reason }) => outageReasons.has(reason) && isWithin(outages, bucket));
}

/**
 * A few a day, day after day: not an outage, but attempts that do not suffice. Of those before, between and after outages
 * the most that are so evenly spread, since a requeue is of one span of time.
 */
export function slowFinding(
  history: EndpointHistory,
  letters: readonly Letters[],
  given: {
    outages: readonly Outage[];
    open: OpenFindings;
    lasts: Lasts;
    thresholds: SlowThresholds;
  },
): Finding | null {
  const rest = slowLetters(letters, { ...given, endpointId: history.endpointId });
  if (!rest) return null;
  const count = countOf(rest);
  const { firstAtMs, endsAtMs } = spanOf(rest);
  const days = Math.max(1, Math.round((endsAtMs - firstAtMs) / dayMs));
  const timeouts = countOf(rest.filter(({ reason }) => reason === "timeout"));
  const timeoutMs = timeouts * 2 >= count ? lowerTimeoutMs(history) : null;
  const made = attemptsOf(rest);
  const wanted = moreAttempts(history, { attempts: made, dead: count, sinceMs: firstAtMs });
  const retry = wanted && {
    max_attempts: wanted,
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
    run: null,
    evidence: evidenceOf(rest),
    sentence: `About ${countWords(perDay)} a day for ${days} d are given up after ${made} ${made === 1 ? "attempt" : "attempts"}, without any outage: it is too few for how often this endpoint fails.`,
    remedy:
      timeoutMs !== null
        ? "Lower the timeout, which most of these ran into, or raise the attempts, then put these back."
        : retry === null && history.maxAttempts > made
          ? `It has ${history.maxAttempts} attempts now: put these back.`
          : "Raise the attempts of this endpoint, then put these back.",
    actions: [
      ...(retry ? [{ kind: "set_retry" as const, retry }] : []),
      ...(timeoutMs === null ? [] : [{ kind: "set_timeout" as const, timeout_ms: timeoutMs }]),
      { kind: "open_setting", setting: "retry" },
      { kind: "requeue", mode: "same_url", filter: filterFor(history.endpointId, rest) },
    ],
  };
}

function slowLetters(
  letters: readonly Letters[],
  given: Parameters<typeof slowFinding>[2] & { endpointId: string },
): Letters[] | null {
  const { endpointId, outages, open, lasts, thresholds } = given;
  const apart = letters.filter(
    ({ bucket, reason }) => outageReasons.has(reason) && !isWithin(outages, bucket),
  );
  const parts = [
    ...Map.groupBy(apart, ({ bucket }) => outages.filter(({ last }) => last < bucket).length).values(),
  ].sort((a, b) => countOf(b) - countOf(a));
  const even = parts.find((part) => isEven(part, thresholds));
  if (even) return even;
  const kind = "slow_accumulation";
  const before = open.get(
    findingKey({ kind, endpointId, eventType: null, eventId: null, reason: null, run: null }),
  );
  if (!before) return null;
  const known = runOf(before.evidence);
  const left = parts.find((part) => part.some(({ bucket }) => isWithin([known], bucket)));
  return left && lasts({ kind, count: countOf(left) }) ? left : null;
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
