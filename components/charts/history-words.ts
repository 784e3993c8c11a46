import { formatAbsolute, formatBucket, formatCount, formatMs, formatNoun, formatSpan } from "#lib/format.ts";
import type { HistoryResolution } from "#lib/stats/ranges.ts";
import type { BreakerTrack, History } from "#lib/stats/schema.ts";
import { type OutcomeClass, outcomeClasses } from "#lib/vocabulary.ts";

export const bucketUnits = {
  minute: "Minute",
  hour: "Hour",
  day: "Day in UTC",
} satisfies Record<HistoryResolution, string>;

type Words = { history: History; timeZone: string | undefined };

/** `Of 1,204 attempts from ... to ...: P50 80 ms, P95 240 ms, P99 1.20 s. The slowest hour ...`. */
export function latencyWords({ history, timeZone }: Words): string {
  const { total, buckets, resolution, breaker } = history;
  const { p50_ms, p95_ms, p99_ms } = total;
  if (p50_ms === null || p95_ms === null || p99_ms === null) {
    return [`No attempt was made ${rangeWords({ history, timeZone })}.`, ...breakerWords(breaker)].join(" ");
  }
  const slowest = buckets.reduce((most, bucket) =>
    (bucket.p95_ms ?? 0) > (most.p95_ms ?? 0) ? bucket : most,
  );
  const place = formatBucket(slowest.at, resolution, timeZone);
  return [
    `Of ${formatNoun(total.attempts, "attempt")} ${rangeWords({ history, timeZone })}: P50 ${formatMs(p50_ms)}, P95 ${formatMs(p95_ms)}, P99 ${formatMs(p99_ms)}.`,
    `The slowest ${resolution} was ${place} with a P95 of ${formatMs(slowest.p95_ms ?? 0)} over ${formatNoun(slowest.attempts, "attempt")}.`,
    ...breakerWords(breaker),
  ].join(" ");
}

const failureNouns = {
  redirect: ["redirect", "redirects"],
  client_error: ["refusal (4xx)", "refusals (4xx)"],
  server_error: ["server error (5xx)", "server errors (5xx)"],
  timeout: ["timeout", "timeouts"],
  network: ["failed connection", "failed connections"],
  other: ["other failure", "other failures"],
} satisfies Record<Exclude<OutcomeClass, "delivered">, [string, string]>;

/** `Of 1,204 attempts from ... to ..., 1,180 (98.0 %) delivered; 20 timeouts, 4 server errors (5xx).` */
export function outcomeWords({ history, timeZone }: Words): string {
  const { attempts, outcomes } = history.total;
  if (outcomes === null) return `No attempt was made ${rangeWords({ history, timeZone })}.`;
  const share = ((100 * outcomes.delivered) / attempts).toFixed(1);
  const failures = outcomeClasses.flatMap((name) =>
    name === "delivered" || outcomes[name] === 0 ? [] : [formatNoun(outcomes[name], ...failureNouns[name])],
  );
  return `Of ${formatNoun(attempts, "attempt")} ${rangeWords({ history, timeZone })}, ${formatCount(outcomes.delivered)} (${share} %) delivered${failures.length > 0 ? `; ${failures.join(", ")}` : ""}.`;
}

/** To the minute, the zone once, at the end; days are those of UTC. */
function rangeWords({ history: { from, to, at, resolution }, timeZone }: Words): string {
  const end = Date.parse(to) > Date.parse(at) ? at : to;
  const zone = resolution === "day" ? "UTC" : timeZone;
  const [start, stop] = [from, end].map((iso) => formatAbsolute(iso, zone).replace(/:\d\d /, " "));
  return `from ${start?.slice(0, 16)} to ${stop}`;
}

function breakerWords(breaker: BreakerTrack | null): string[] {
  if (breaker === null) return [];
  if (breaker.seconds_not_closed === 0 && breaker.openings === 0)
    return ["Its breaker was closed throughout."];
  const opened = breaker.openings === 0 ? "" : `opened ${formatNoun(breaker.openings, "time")} and `;
  return [`Its breaker ${opened}was not closed for ${formatSpan(breaker.seconds_not_closed * 1_000)}.`];
}
