import type { Endpoint } from "#lib/endpoints/schema.ts";
import { formatNoun, formatRelative } from "#lib/format.ts";
import { endpointStatusLabels, reasonSentences } from "#lib/vocabulary.ts";

export type EndpointCondition = "healthy" | "unused" | "failing" | "paused" | "disabled";

export const endpointConditionLabels = {
  healthy: "Healthy",
  unused: "Not used yet",
  failing: "Failing",
  paused: endpointStatusLabels.paused,
  disabled: endpointStatusLabels.disabled,
} satisfies Record<EndpointCondition, string>;

/** Its status, and while it is active, what its latest attempt says. */
export function endpointCondition(endpoint: Pick<Endpoint, "status" | "health">): EndpointCondition {
  if (endpoint.status !== "active") return endpoint.status;
  if (endpoint.health.consecutive_failures > 0) return "failing";
  return endpoint.health.last_success_at === null ? "unused" : "healthy";
}

/** One sentence of cause. */
export function endpointCause(
  endpoint: Pick<Endpoint, "status" | "status_changed_at" | "status_changed_by" | "health">,
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

/** The latest failure as a plain sentence, with the status where there was one; null when none is known. */
export function lastFailureWords({ health }: Pick<Endpoint, "health">): string | null {
  if (health.last_failure_reason === null) return null;
  const sentence = reasonSentences[health.last_failure_reason];
  return health.last_failure_status === null ? sentence : `${sentence} (${health.last_failure_status})`;
}
