import {
  type Bucket,
  fullBucket,
  nextTokenAtMs,
  refill,
  take,
  wholeTokens,
} from "#lib/delivery/token-bucket.ts";
import { Problem } from "#lib/errors.ts";

type Publication = {
  keyId: string;
  /** How many events it brings. */
  events: number;
  /** Of a monotonic clock, in whole milliseconds. */
  nowMs: number;
};

/**
 * Limits each API key to so many events a second, by a bucket that holds one second's worth. A request passes while there
 * is anything in it and takes out all its events at once, so that an array larger than the bucket passes too and is paid
 * for by what follows. The function it returns throws a 429 that says when the next one would pass.
 */
export function createPublishLimit(perSecond: number): (publication: Publication) => void {
  const limit = { amount: perSecond, per: "second", burst: perSecond } as const;
  const buckets = new Map<string, Bucket>();
  return ({ keyId, events, nowMs }) => {
    const bucket = refill(buckets.get(keyId) ?? fullBucket(limit, nowMs), limit, nowMs);
    if (wholeTokens(bucket) < 1) {
      const retryAfterSeconds = Math.ceil((nextTokenAtMs(bucket, limit) - nowMs) / 1_000);
      throw new Problem("too_many_requests", `An API key may publish ${perSecond} events a second`, [], {
        retryAfterSeconds,
      });
    }
    buckets.set(keyId, take(bucket, events));
  };
}
