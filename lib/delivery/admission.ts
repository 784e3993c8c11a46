import type { BreakerState } from "#lib/vocabulary.ts";
import type { Breaker } from "./breaker.ts";
import { type Bucket, nextTokenAtMs, type RateLimit, refill, wholeTokens } from "./token-bucket.ts";

/** How fast an endpoint that was resumed gets what was held for it, unless it has a rate of its own. */
export const catchUpLimit: RateLimit = { amount: 10, per: "second", burst: 10 };

/** What the claim knows of an endpoint when it decides how many deliveries it may take. */
export type Gate = {
  /** Of readyAtMs below, as it was stored last. */
  readyAtMs: number;
  breaker: BreakerState;
  ramp: number | null;
  inFlight: number;
  concurrency: number;
  /** Null without a rate limit. */
  rate: { limit: RateLimit; bucket: Bucket } | null;
};

/**
 * How many deliveries of an endpoint may be claimed now: none, one (the probe of an open breaker that is due),
 * or as many as share, rate and concurrency leave. `holdFactor`: how many times its concurrency may lie between
 * claim and settlement; the limit itself is kept on the wire, except while the breaker ramps up. Under a rate one of
 * `workersAlive` takes no more than it may send at once, since a token is for a send within a second.
 * The claim's SQL computes the same; a test holds the two equal.
 */
export function admit(
  gate: Gate,
  options: { nowMs: number; share: number; holdFactor: number; workersAlive: number },
): number {
  const { nowMs, holdFactor, workersAlive } = options;
  const atOnce = Math.max(1, Math.floor(gate.concurrency / workersAlive));
  const share = gate.rate ? Math.min(options.share, atOnce) : options.share;
  if (gate.readyAtMs > nowMs || gate.breaker === "half_open") return 0;
  const tokens = gate.rate ? wholeTokens(refill(gate.rate.bucket, gate.rate.limit, nowMs)) : share;
  if (gate.breaker === "open") return Math.min(1, share, tokens);
  const limit = gate.ramp === null ? gate.concurrency * holdFactor : Math.min(gate.ramp, gate.concurrency);
  return Math.max(0, Math.min(share, tokens, limit - gate.inFlight));
}

/**
 * Before when nothing of an endpoint is worth looking at: stored with its health, so that the claim passes by
 * what is stopped, broken, held or out of tokens without touching it. -Infinity: nothing is in the way.
 */
export function readyAtMs(endpoint: {
  /** Neither paused, nor disabled, nor deleted. */
  active: boolean;
  breaker: Pick<Breaker, "state" | "retryAtMs">;
  heldUntilMs: number | null;
  rate: Gate["rate"];
}): number {
  const { active, breaker, heldUntilMs, rate } = endpoint;
  if (!active || breaker.state === "half_open") return Number.POSITIVE_INFINITY;
  return Math.max(
    breaker.retryAtMs ?? Number.NEGATIVE_INFINITY,
    heldUntilMs ?? Number.NEGATIVE_INFINITY,
    rate ? nextTokenAtMs(rate.bucket, rate.limit) : Number.NEGATIVE_INFINITY,
  );
}
