import type { DeliveryState, Reason } from "#lib/vocabulary.ts";
import { backoffMs } from "./backoff.ts";
import type { Classification } from "./classify.ts";

/** Where a delivery goes after an attempt; `delayMs` only where another attempt follows. */
export type Decision =
  | { state: Extract<DeliveryState, "failed">; reason: Reason; delayMs: number }
  | { state: Extract<DeliveryState, "dead_letter">; reason: Reason }
  | { state: Extract<DeliveryState, "delivered">; reason: null };

/**
 * The next step after a classified attempt: done, again later, or given up. `attemptsCharged` includes the
 * attempt just made; `retryAfterMs` is what the server asked to wait, and 0 when it asked for nothing.
 * A delivery that was delivered before stays so when its resend fails in the end.
 */
export function decide(
  classification: Classification,
  delivery: {
    attemptsCharged: number;
    deliveredBefore: boolean;
    maxAttempts: number;
    baseSeconds: number;
    capSeconds: number;
    retryAfterMs: number;
  },
  random: number,
): Decision {
  if (classification.outcome === "delivered") return { state: "delivered", reason: null };
  const { reason } = classification;
  if (classification.outcome === "transient" && delivery.attemptsCharged < delivery.maxAttempts) {
    const { baseSeconds, capSeconds, attemptsCharged, retryAfterMs } = delivery;
    const backoff = backoffMs({ failedAttempts: attemptsCharged, baseSeconds, capSeconds, random });
    return { state: "failed", reason, delayMs: Math.max(backoff, retryAfterMs) };
  }
  if (delivery.deliveredBefore) return { state: "delivered", reason: null };
  return { state: "dead_letter", reason };
}
