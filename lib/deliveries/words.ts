import type { Attempt, Delivery } from "#lib/deliveries/schema.ts";
import type { EndpointDetail } from "#lib/endpoints/schema.ts";
import { formatNoun, formatRelative, formatSpan } from "#lib/format.ts";
import { deliveryStateLabels, reasonSentences } from "#lib/vocabulary.ts";

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

export type Holder = Pick<EndpointDetail, "status" | "status_changed_at" | "status_changed_by">;

/** The state's word: one that only waits for its endpoint to resume is called held, or for its key, blocked. */
export function deliveryLabel(delivery: Pick<Delivery, "state" | "held" | "blocked">): string {
  if (delivery.held) return "Held";
  return delivery.blocked ? "Blocked" : deliveryStateLabels[delivery.state];
}

/** What it waits for, by who is told: whoever owns the endpoint need not know how we pause it. */
const waitsFor = {
  staff: { breaker: "behind an open breaker", key: "behind an earlier one of its ordering key" },
  owner: {
    breaker: "waits: your server has failed too often",
    key: "waits for an earlier event of the same key",
  },
};

/**
 * What happens next, or how it ended, in a few words after the label: `3 of 5 · in 2 min 10 s`.
 * `holder` names who stopped the endpoint and when, where the page knows it; `told` is who reads it, staff unless given.
 */
export function deliveryNext(
  delivery: Standing,
  nowMs: number,
  { holder, told = "staff" }: { holder?: Holder | undefined; told?: keyof typeof waitsFor } = {},
): string {
  const upcoming = `${delivery.attempts_charged + 1} of ${delivery.max_attempts}`;
  const ended = delivery.ended_at ? ` · ${formatRelative(delivery.ended_at, nowMs)}` : "";
  if (delivery.held) {
    const status = delivery.endpoint.status === "disabled" ? "disabled" : "paused";
    if (!holder || holder.status === "active") return `endpoint ${status}`;
    return `endpoint ${status} by ${holder.status_changed_by}, ${formatRelative(holder.status_changed_at, nowMs)}`;
  }
  if (delivery.blocked) return waitsFor[told].key;
  if (delivery.behind_breaker) {
    const when = delivery.next_attempt_at ? ` · ${dueWords(delivery.next_attempt_at, nowMs)}` : "";
    return `${waitsFor[told].breaker}${when}`;
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

/** What is wrong with a certificate, where the code is one of the common ones. */
const certificateSentences: ReadonlyMap<string, string> = new Map([
  ["CERT_HAS_EXPIRED", "Their certificate has expired"],
  ["CERT_NOT_YET_VALID", "Their certificate is not valid yet"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "Their certificate is signed by nobody but themselves"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "Their certificate comes from an authority that nobody vouches for"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "Their certificate is for another host name"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "Their server leaves out the certificates that vouch for its own"],
]);

/** Why an attempt failed, in one plain sentence without its full stop; null when it did not. */
export function attemptSentence(
  attempt: Pick<Attempt, "reason" | "error_code" | "redirect_to" | "retry_after">,
): string | null {
  const { reason, error_code, redirect_to, retry_after } = attempt;
  if (reason === null) return null;
  if (redirect_to !== null) return `Their server redirects to ${redirect_to}, which is never followed`;
  const sentence = certificateSentences.get(error_code ?? "") ?? reasonSentences[reason];
  if (retry_after === null) return sentence;
  const wait = formatSpan(retry_after.delay_seconds * 1_000);
  return retry_after.capped
    ? `${sentence}; it asks for a longer wait than the ${wait} that are followed`
    : `${sentence}; it asks for a wait of ${wait}`;
}

function dueWords(nextAttemptAt: string | null, nowMs: number): string {
  if (nextAttemptAt === null || Date.parse(nextAttemptAt) <= nowMs) return "due now";
  return formatRelative(nextAttemptAt, nowMs).replace("just now", "due now");
}
