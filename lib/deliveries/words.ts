import type { Delivery } from "#lib/deliveries/schema.ts";
import type { EndpointDetail } from "#lib/endpoints/schema.ts";
import { formatNoun, formatRelative } from "#lib/format.ts";
import { deliveryStateLabels } from "#lib/vocabulary.ts";

type Standing = Pick<
  Delivery,
  | "state"
  | "held"
  | "blocked"
  | "behind_breaker"
  | "attempt_number"
  | "attempts_charged"
  | "max_attempts"
  | "next_attempt_at"
  | "delivered_at"
  | "ended_at"
> & { endpoint: Pick<Delivery["endpoint"], "status"> };

type Holder = Pick<EndpointDetail, "status" | "status_changed_at" | "status_changed_by">;

/** The state's word: one that only waits for its endpoint to resume is called held, or for its key, blocked. */
export function deliveryLabel(delivery: Pick<Delivery, "state" | "held" | "blocked">): string {
  if (delivery.held) return "Held";
  return delivery.blocked ? "Blocked" : deliveryStateLabels[delivery.state];
}

/**
 * What happens next, or how it ended, in a few words after the label: `3 of 5 · in 2 min 10 s`.
 * `holder` names who stopped the endpoint and when, where the page knows it.
 */
export function deliveryNext(delivery: Standing, nowMs: number, holder?: Holder): string {
  const upcoming = `${delivery.attempts_charged + 1} of ${delivery.max_attempts}`;
  const ended = delivery.ended_at ? ` · ${formatRelative(delivery.ended_at, nowMs)}` : "";
  if (delivery.held) {
    const status = delivery.endpoint.status === "disabled" ? "disabled" : "paused";
    if (!holder || holder.status === "active") return `endpoint ${status}`;
    return `endpoint ${status} by ${holder.status_changed_by}, ${formatRelative(holder.status_changed_at, nowMs)}`;
  }
  if (delivery.blocked) return "behind an earlier one of its ordering key";
  if (delivery.behind_breaker) {
    const when = delivery.next_attempt_at ? ` · ${dueWords(delivery.next_attempt_at, nowMs)}` : "";
    return `behind the endpoint's open breaker${when}`;
  }
  switch (delivery.state) {
    case "pending":
      return dueWords(delivery.next_attempt_at, nowMs);
    case "failed":
      return `${upcoming} · ${dueWords(delivery.next_attempt_at, nowMs)}`;
    case "in_flight":
      return `attempt ${delivery.attempt_number}`;
    case "delivered":
      return `attempt ${delivery.attempt_number}${delivery.delivered_at ? ` · ${formatRelative(delivery.delivered_at, nowMs)}` : ""}`;
    case "dead_letter":
      return `after ${formatNoun(delivery.attempts_charged, "attempt")}${ended}`;
    case "skipped":
      return `will not be sent${ended}`;
    case "discarded":
      return `given up by decision${ended}`;
  }
}

function dueWords(nextAttemptAt: string | null, nowMs: number): string {
  if (nextAttemptAt === null || Date.parse(nextAttemptAt) <= nowMs) return "due now";
  return formatRelative(nextAttemptAt, nowMs).replace("just now", "due now");
}
