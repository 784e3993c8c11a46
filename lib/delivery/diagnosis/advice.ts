import { type RateLimit, type RatePeriod, ratePeriodSeconds } from "#lib/delivery/token-bucket.ts";
import type { EndpointHistory } from "./types.ts";

type Retry = { max_attempts: number; base_seconds: number; cap_seconds: number };

const mostAttempts = 30;
/** That of the `patient` policy of product.md. */
const longCapSeconds = 43_200;
/** Of what is given up now, so many are to be left. */
const leftOver = 0.01;
/** Of what got through, so much is asked for, since that was close to their limit. */
const headroom = 0.8;

/**
 * A policy that on average keeps trying twice as long as an outage of this length and the `attempts` that were made of its
 * letters took; null where none that may be set does, or what is set now does.
 */
export function longerRetry(
  history: EndpointHistory,
  { outageMs, attempts: made }: { outageMs: number; attempts: number },
): Retry | null {
  const { maxAttempts, baseSeconds, capSeconds } = history;
  const wantedSeconds = (2 * (outageMs + triesForMs({ ...history, maxAttempts: made }))) / 1_000;
  const cap = Math.max(capSeconds, longCapSeconds);
  for (let attempts = maxAttempts; attempts <= mostAttempts; attempts += 1) {
    const retry = { max_attempts: attempts, base_seconds: baseSeconds, cap_seconds: cap };
    if (averageSeconds(retry) < wantedSeconds) continue;
    return attempts === maxAttempts && cap === capSeconds ? null : retry;
  }
  return null;
}

/** For how long an endpoint's deliveries are tried on average. */
export function triesForMs({ maxAttempts, baseSeconds, capSeconds }: EndpointHistory): number {
  return (
    1_000 * averageSeconds({ max_attempts: maxAttempts, base_seconds: baseSeconds, cap_seconds: capSeconds })
  );
}

/** Half of the longest waits, since each is uniform from 0. */
function averageSeconds({ max_attempts, base_seconds, cap_seconds }: Retry): number {
  let longest = 0;
  for (let failed = 1; failed < max_attempts; failed += 1) {
    longest += Math.min(cap_seconds, base_seconds * 2 ** Math.min(failed - 1, 32));
  }
  return longest / 2;
}

/**
 * How many attempts would leave one in a hundred of these, from the share that `attempts` left; null where it has as many
 * now, or all that it may.
 */
export function moreAttempts(
  { maxAttempts, hours }: EndpointHistory,
  { attempts: made, dead, sinceMs }: { attempts: number; dead: number; sinceMs: number },
): number | null {
  const delivered = deliveredSince(hours, sinceMs);
  const share = Math.min(0.5, dead / (dead + delivered));
  const wanted = Math.ceil(made * (Math.log(share * leftOver) / Math.log(share)));
  const attempts = Math.min(mostAttempts, Math.max(made + 1, wanted));
  return attempts > maxAttempts ? attempts : null;
}

/**
 * A rate below what their server let through while it refused others, from the hours in `hourNumbers`: the median
 * of what was delivered, less a fifth. Null where nothing got through, or the present limit is as low already.
 */
export function gentleRate(
  { hours, rateLimit }: EndpointHistory,
  hourNumbers: ReadonlySet<number>,
): Pick<RateLimit, "amount" | "per"> | null {
  const delivered = hours
    .filter(({ atMs, delivered }) => delivered > 0 && hourNumbers.has(Math.floor(atMs / 3_600_000)))
    .map(({ delivered }) => delivered)
    .sort((a, b) => a - b);
  const median = delivered[Math.floor(delivered.length / 2)];
  if (median === undefined) return null;
  const present = rateLimit && (rateLimit.amount * 3_600) / ratePeriodSeconds[rateLimit.per];
  const perHour = Math.max(1, Math.floor(headroom * median));
  if (present !== null && present <= perHour) return null;
  // The shortest period in which the rate is still a number of some size, so that rounding costs little.
  const per = (["second", "minute"] as RatePeriod[]).find(
    (period) => (perHour * ratePeriodSeconds[period]) / 3_600 >= 10,
  );
  return { amount: Math.floor((perHour * ratePeriodSeconds[per ?? "hour"]) / 3_600), per: per ?? "hour" };
}

export function deliveredSince(hours: EndpointHistory["hours"], sinceMs: number): number {
  return hours.reduce((sum, { atMs, delivered }) => (atMs >= sinceMs ? sum + delivered : sum), 0);
}
