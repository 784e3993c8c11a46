import type { Endpoint } from "#lib/endpoints/schema.ts";
import { formatMs, formatRelative, formatSinceDay } from "#lib/format.ts";
import { ownerReasonWords, whatFollows } from "./owner-words.ts";
import { type EndpointCondition, endpointCondition } from "./words.ts";

/** How an endpoint does, as its owner is told. */
export type PlainHealth = {
  condition: EndpointCondition;
  /** Whether everything arrives, in words that need no knowledge of HTTP. */
  sentence: string;
  /** What the server did, and what to look at; null where nothing is to be done. */
  fix: string | null;
  /** What happens by itself, and when; null where nothing does. */
  next: string | null;
  needsOwner: boolean;
};

type Described = Pick<
  Endpoint,
  "status" | "status_changed_at" | "status_changed_by" | "resume_bar" | "health" | "breaker"
>;

/** Whether everything arrives at an endpoint, and else what its owner can do. Times of day are in `timeZone`. */
export function plainHealth(endpoint: Described, nowMs: number, timeZone?: string): PlainHealth {
  const condition = endpointCondition(endpoint);
  const { last_failure_reason: reason, last_failure_status: status } = endpoint.health;
  const follows = whatFollows({ reason, status });
  const calm = { condition, fix: null, next: null, needsOwner: false };
  const wrong = { condition, fix: null, next: null, needsOwner: true };
  const stoppedAt = () => formatSinceDay(endpoint.status_changed_at, nowMs, timeZone);
  switch (condition) {
    case "healthy":
      return { ...calm, sentence: "Everything arrives." };
    case "unused":
      return {
        ...calm,
        sentence: "Nothing has been sent here yet.",
        fix: "Send a test: it shows whether your server takes what we send.",
      };
    case "slow":
    case "slowing":
      return { ...wrong, ...slowWords(endpoint, condition) };
    case "paused":
      return endpoint.resume_bar === "staff_paused"
        ? {
            ...wrong,
            sentence: `Posthorn's operators have paused it since ${stoppedAt()}.`,
            fix: "Ask them what has to change before they resume it.",
            next: "What comes meanwhile is kept, and sent then.",
          }
        : {
            ...wrong,
            sentence: `Nothing is sent: ${endpoint.status_changed_by} paused it, ${stoppedAt()}.`,
            fix: "Resume it when your server is ready.",
            next: "What comes meanwhile is kept, and sent then.",
          };
    case "disabled":
      return {
        ...wrong,
        sentence: `It has been switched off since ${stoppedAt()}, as nothing arrived any more.`,
        fix: failureFix(endpoint) ?? "Find out why nothing arrived, then resume it.",
        next: "What comes meanwhile is kept, and sent when you resume it.",
      };
    case "breaker_open":
      if (endpoint.breaker.held_by !== null)
        return {
          ...wrong,
          sentence: "Nothing is sent for now: Posthorn's operators hold it back.",
          fix: "Ask them what has to change.",
          next: "What comes meanwhile is kept.",
        };
      return {
        ...wrong,
        sentence: failingSentence(endpoint, nowMs, timeZone),
        fix: failureFix(endpoint),
        next: [
          follows === "retried" ? "" : nextWords[follows],
          `What comes meanwhile is kept. ${probeWords(endpoint.breaker.next_probe_at, nowMs)}`,
        ]
          .filter(Boolean)
          .join(" "),
      };
    case "failing":
      return {
        ...wrong,
        sentence: failingSentence(endpoint, nowMs, timeZone),
        fix: failureFix(endpoint),
        next: nextWords[follows],
      };
  }
}

const nextWords = {
  retried: "It is tried again by itself.",
  given_up: "What was refused is not tried again by itself: resend it once this is fixed.",
  by_rule: "It is tried again by itself if that response rule says so: else resend it once this is fixed.",
} satisfies Record<ReturnType<typeof whatFollows>, string>;

function failingSentence({ health }: Described, nowMs: number, timeZone?: string): string {
  if (health.failing_since === null) return "The latest did not arrive.";
  return `Nothing has arrived since ${formatSinceDay(health.failing_since, nowMs, timeZone)}.`;
}

/** `Your server answered 401. Has the token changed?`; null when no failure is known. */
function failureFix({ health }: Described): string | null {
  const { last_failure_reason: reason, last_failure_status: status } = health;
  if (reason === null) return null;
  const sentence = ownerReasonWords.sentence(reason);
  const what = status === null || reason === "timeout" ? sentence : `${sentence} (it answered ${status})`;
  return `${what}. ${ownerReasonWords.remedy(reason)}`.trim();
}

function slowWords({ health: { latency } }: Described, condition: "slow" | "slowing") {
  const p95 = latency ? `95 of 100 answers come within ${formatMs(latency.p95_ms)}, the others later. ` : "";
  return condition === "slow"
    ? {
        sentence: "Everything arrives, but your server is slow to answer.",
        fix: `${p95}Answer first, and do the work afterwards.`,
      }
    : {
        sentence: "Everything arrives, but your server takes much longer than it did.",
        fix: `${p95}That often comes before failures: is it under load?`,
      };
}

function probeWords(nextProbeAt: string | null, nowMs: number): string {
  if (nextProbeAt === null || Date.parse(nextProbeAt) <= nowMs) return "One is being tried now.";
  return `We try one again ${formatRelative(nextProbeAt, nowMs)}.`;
}

/** The answer to "is everything arriving?", of all of an affiliate's endpoints together. */
export function plainSummary(healths: readonly PlainHealth[]): string {
  const wrong = healths.filter(({ needsOwner }) => needsOwner);
  const used = healths.filter(({ condition }) => condition !== "unused");
  if (healths.length === 0) return "There is nowhere to send to yet";
  if (used.length === 0) return "Nothing has been sent yet";
  if (wrong.length === 0) return "Everything is arriving";
  const late = wrong.filter(({ condition }) => condition === "slow" || condition === "slowing");
  if (late.length === wrong.length) return "Everything is arriving, but slowly";
  const stopped = wrong.length - late.length;
  return stopped === healths.length ? "Nothing is arriving" : "Not everything is arriving";
}
