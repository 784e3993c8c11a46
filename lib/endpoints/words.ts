import type { Endpoint } from "#lib/endpoints/schema.ts";
import { capitalize, formatMs, formatNoun, formatRelative, formatSince } from "#lib/format.ts";
import { endpointStatusLabels, reasonSentences } from "#lib/vocabulary.ts";
import { failurePhrases, statusNotes } from "./failure-phrases.ts";

export type EndpointCondition =
  | "healthy"
  | "unused"
  | "slow"
  | "slowing"
  | "failing"
  | "breaker_open"
  | "paused"
  | "disabled";

export const endpointConditionLabels = {
  healthy: "Healthy",
  unused: "Not used yet",
  slow: "Slow",
  slowing: "Slowing",
  failing: "Failing",
  breaker_open: "Breaker open",
  paused: endpointStatusLabels.paused,
  disabled: endpointStatusLabels.disabled,
} satisfies Record<EndpointCondition, string>;

type Described = Pick<Endpoint, "status" | "status_changed_at" | "status_changed_by" | "health" | "breaker">;

/** Its status, and while it is active, what its latest attempts say. The views of the list ask for the same in SQL. */
export function endpointCondition({
  status,
  health,
  breaker,
}: Pick<Endpoint, "status" | "health" | "breaker">): EndpointCondition {
  if (status !== "active") return status;
  if (breaker.state !== "closed") return "breaker_open";
  if (health.consecutive_failures > 0 || health.failing_attempts > 0) return "failing";
  if (health.latency?.slow) return "slow";
  if (health.latency?.slowing) return "slowing";
  return health.last_success_at === null ? "unused" : "healthy";
}

/** One sentence of cause, and what comes next. Times of day are in `timeZone`, or the machine's own. */
export function endpointCause(endpoint: Described, nowMs: number, timeZone?: string): string {
  const { health, breaker } = endpoint;
  const condition = endpointCondition(endpoint);
  switch (condition) {
    case "paused":
    case "disabled":
      return `${stoppedWords(endpoint, nowMs)}. Events for it are held, not dropped.`;
    case "breaker_open": {
      if (breaker.held_by === null) {
        const cause = failingWords(endpoint, nowMs, timeZone) ?? openedWords(breaker, nowMs, timeZone);
        return `${cause}; ${probeWords(breaker, nowMs)}.`;
      }
      const since = breaker.changed_at ? ` since ${formatSince(breaker.changed_at, nowMs, timeZone)}` : "";
      return `The breaker is held open by ${breaker.held_by}${since}, until somebody resets or closes it.`;
    }
    case "failing": {
      const count = Math.max(health.failing_attempts, health.consecutive_failures);
      const last = health.last_failure_at
        ? `, the last ${formatRelative(health.last_failure_at, nowMs)}`
        : "";
      const row = `${formatNoun(count, "failure")}${count > 1 ? " in a row" : ""}${last}`;
      return `${failingWords(endpoint, nowMs, timeZone) ?? "The latest attempt failed"}; ${row}.`;
    }
    case "slow":
      return `Answers, but slowly: ${p95Words(endpoint)}.`;
    case "slowing":
      return `Slowing down: its last hour took several times as long as its last 7 days; ${p95Words(endpoint)}.`;
    case "healthy": {
      const last = health.last_success_at
        ? `; last success ${formatRelative(health.last_success_at, nowMs)}`
        : "";
      return `Healthy: ${health.latency ? p95Words(endpoint) : unmeasuredWords(health, nowMs)}${last}.`;
    }
    case "unused":
      return "Nothing has been sent to it yet.";
  }
}

/** The same in the few words that a row of a list has room for; empty where the state says it all. */
export function endpointCauseShort(endpoint: Described, nowMs: number, timeZone?: string): string {
  const { breaker } = endpoint;
  switch (endpointCondition(endpoint)) {
    case "paused":
    case "disabled":
      return stoppedWords(endpoint, nowMs).replace(/^(Paused|Disabled) /, "");
    case "breaker_open":
      return breaker.held_by === null
        ? probeWords(breaker, nowMs).replace(/^next /, "")
        : `held by ${breaker.held_by}`;
    case "failing":
      return failingWords(endpoint, nowMs, timeZone) ?? "The latest attempt failed";
    case "slow":
    case "slowing":
    case "healthy":
    case "unused":
      return "";
  }
}

/** `Paused by Ana 2 h ago`, `Disabled after 410 Gone, 2 h ago`. */
function stoppedWords(endpoint: Described, nowMs: number): string {
  const when = formatRelative(endpoint.status_changed_at, nowMs);
  if (endpoint.status === "paused") return `Paused by ${endpoint.status_changed_by} ${when}`;
  if (endpoint.health.last_failure_reason === "gone") return `Disabled after 410 Gone, ${when}`;
  const last = lastFailureWords(endpoint);
  return `Disabled by ${endpoint.status_changed_by} ${when}${last ? `; the last failure: ${lowerFirst(last)}` : ""}`;
}

/** `Refused connections since 14:02`; null when no failure is known. */
function failingWords({ health }: Described, nowMs: number, timeZone?: string): string | null {
  const { last_failure_reason: reason, last_failure_status: status, failing_since: since } = health;
  if (reason === null) return null;
  const what = status === null ? failurePhrases[reason] : `Answers ${status}${statusNotes[reason] ?? ""}`;
  return since === null ? what : `${what} since ${formatSince(since, nowMs, timeZone)}`;
}

function openedWords(breaker: Endpoint["breaker"], nowMs: number, timeZone?: string): string {
  const since = breaker.changed_at ? `, open since ${formatSince(breaker.changed_at, nowMs, timeZone)}` : "";
  return `Too many attempts failed${since}`;
}

/** What an open breaker does next, to follow a cause. */
function probeWords({ state, next_probe_at }: Endpoint["breaker"], nowMs: number): string {
  if (state === "half_open") return "a probe is under way";
  if (next_probe_at === null) return "nothing is sent to it";
  if (Date.parse(next_probe_at) <= nowMs) return "the next delivery is the probe";
  return `next probe ${formatRelative(next_probe_at, nowMs)}`;
}

function p95Words({ health: { latency } }: Described): string {
  if (!latency) return "no attempt in 24 h";
  return `P95 ${formatMs(latency.p95_ms)} over ${formatNoun(latency.samples, "attempt")} in 24 h`;
}

/** Why there are no percentiles of the last 24 hours: they come up to a minute after the attempts. */
export function unmeasuredWords(
  { last_success_at, last_failure_at }: Pick<Endpoint["health"], "last_success_at" | "last_failure_at">,
  nowMs: number,
): string {
  const lastMs = Math.max(...[last_success_at, last_failure_at].map((at) => Date.parse(at ?? "") || 0));
  return nowMs - lastMs < dayMs ? "latency not measured yet" : "no attempt in 24 h";
}

const dayMs = 86_400_000;

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
function breakerWords(breaker: Endpoint["breaker"], nowMs: number): string | null {
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

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
