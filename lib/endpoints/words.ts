import type { Endpoint } from "#lib/endpoints/schema.ts";
import { formatNoun, formatRelative } from "#lib/format.ts";
import { endpointStatusLabels, reasonSentences } from "#lib/vocabulary.ts";

export type EndpointCondition = "healthy" | "unused" | "failing" | "breaker_open" | "paused" | "disabled";

export const endpointConditionLabels = {
  healthy: "Healthy",
  unused: "Not used yet",
  failing: "Failing",
  breaker_open: "Breaker open",
  paused: endpointStatusLabels.paused,
  disabled: endpointStatusLabels.disabled,
} satisfies Record<EndpointCondition, string>;

/** Its status, and while it is active, what its latest attempt says. */
export function endpointCondition(
  endpoint: Pick<Endpoint, "status" | "health" | "breaker">,
): EndpointCondition {
  if (endpoint.status !== "active") return endpoint.status;
  if (endpoint.breaker.state !== "closed") return "breaker_open";
  if (endpoint.health.consecutive_failures > 0) return "failing";
  return endpoint.health.last_success_at === null ? "unused" : "healthy";
}

/** One sentence of cause. */
export function endpointCause(
  endpoint: Pick<Endpoint, "status" | "status_changed_at" | "status_changed_by" | "health" | "breaker">,
  nowMs: number,
): string {
  const { health } = endpoint;
  switch (endpointCondition(endpoint)) {
    case "paused":
    case "disabled": {
      const verb = endpoint.status === "paused" ? "Paused" : "Disabled";
      const when = formatRelative(endpoint.status_changed_at, nowMs);
      return `${verb} by ${endpoint.status_changed_by} ${when}. Events for it are held, not dropped.`;
    }
    case "breaker_open":
      if (endpoint.breaker.held_by !== null) return `The breaker is ${heldWords(endpoint.breaker.held_by)}`;
      return `${lastFailureWords(endpoint) ?? "Too many attempts failed"}. ${breakerWords(endpoint.breaker, nowMs)}`;
    case "failing": {
      const row = `${formatNoun(health.consecutive_failures, "failure")}${health.consecutive_failures > 1 ? " in a row" : ""}`;
      const last = health.last_failure_at
        ? `, the last ${formatRelative(health.last_failure_at, nowMs)}`
        : "";
      return `${lastFailureWords(endpoint) ?? "The latest attempt failed"}: ${row}${last}.`;
    }
    case "healthy":
      return health.last_success_at
        ? `Answers as it should; last success ${formatRelative(health.last_success_at, nowMs)}.`
        : "Answers as it should.";
    case "unused":
      return "Nothing has been sent to it yet.";
  }
}

/** What the breaker lets through now, and what comes next. */
export function breakerSentence(breaker: Endpoint["breaker"], nowMs: number): string {
  const next = breakerWords(breaker, nowMs);
  if (next !== null) return next;
  if (breaker.ramp === null) return "Every delivery goes when it is due.";
  return `It has closed; for now at most ${formatNoun(breaker.ramp, "request")} at once, more with every answer.`;
}

function heldWords(heldBy: string): string {
  return `held open by ${heldBy} until somebody resets or closes it.`;
}

/** What an open breaker does next; null while it is closed. */
export function breakerWords(breaker: Endpoint["breaker"], nowMs: number): string | null {
  if (breaker.state === "closed") return null;
  if (breaker.state === "half_open") return "One request probes whether it works again.";
  if (breaker.held_by !== null) return capitalize(heldWords(breaker.held_by));
  if (breaker.next_probe_at === null) return "Nothing is sent to it.";
  const isDue = new Date(breaker.next_probe_at).getTime() <= nowMs;
  return isDue
    ? "The next delivery is the probe."
    : `The next probe goes ${formatRelative(breaker.next_probe_at, nowMs)}.`;
}

/** The latest failure as a plain sentence, with the status where there was one; null when none is known. */
export function lastFailureWords({ health }: Pick<Endpoint, "health">): string | null {
  if (health.last_failure_reason === null) return null;
  const sentence = reasonSentences[health.last_failure_reason];
  return health.last_failure_status === null ? sentence : `${sentence} (${health.last_failure_status})`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
