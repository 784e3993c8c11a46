/** `burst`: how many may go at once after a pause. */
export type RateLimit = { amount: number; per: RatePeriod; burst: number };

export const ratePeriods = ["second", "minute", "hour"] as const;
export type RatePeriod = (typeof ratePeriods)[number];

export const ratePeriodSeconds = { second: 1, minute: 60, hour: 3_600 } satisfies Record<RatePeriod, number>;

/**
 * What an endpoint may still send. `level` is in parts of a token so small that every rate adds whole ones each
 * millisecond; with whole milliseconds nothing is ever rounded, here or in the claim's SQL.
 */
export type Bucket = { level: number; atMs: number };

/** Parts of one token: the milliseconds of an hour. */
export const tokenParts = 3_600_000;

const partsPerMs: Readonly<Record<RatePeriod, number>> = { second: 3_600, minute: 60, hour: 1 };

/** A tenth of the rate, at least 1. */
export function defaultBurst(amount: number): number {
  return Math.max(1, Math.floor(amount / 10));
}

/** The bucket of an endpoint whose limit has just been set. `nowMs`: whole milliseconds, here and below. */
export function fullBucket(limit: RateLimit, nowMs: number): Bucket {
  return { level: capacity(limit), atMs: nowMs };
}

/** The bucket as it is now. A clock that stepped back adds nothing, and takes nothing away. */
export function refill(bucket: Bucket, limit: RateLimit, nowMs: number): Bucket {
  const atMs = Math.max(bucket.atMs, nowMs);
  const level = Math.min(capacity(limit), bucket.level + (atMs - bucket.atMs) * speed(limit));
  return { level, atMs };
}

/** How many may go now, of a bucket that was refilled. */
export function wholeTokens(bucket: Bucket): number {
  return Math.floor(bucket.level / tokenParts);
}

/** Takes `n` of the whole tokens that there are. */
export function take(bucket: Bucket, n: number): Bucket {
  return { ...bucket, level: bucket.level - n * tokenParts };
}

/** The first millisecond with a whole token; that of the bucket itself when it has one. */
export function nextTokenAtMs(bucket: Bucket, limit: RateLimit): number {
  return bucket.atMs + Math.ceil(Math.max(0, tokenParts - bucket.level) / speed(limit));
}

function capacity(limit: RateLimit): number {
  return limit.burst * tokenParts;
}

function speed(limit: RateLimit): number {
  return limit.amount * partsPerMs[limit.per];
}
