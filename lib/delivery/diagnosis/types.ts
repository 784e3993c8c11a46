import type { RateLimit } from "#lib/delivery/token-bucket.ts";
import type { FindingKind, Reason, RequeueMode } from "#lib/vocabulary.ts";

/** Dead letters are counted by stretches of this length, which start at multiples of it. */
export const bucketMs = 300_000;

/** The dead letters of one endpoint with the same reason, status and event type. */
export type DeadLetterGroup = {
  endpointId: string;
  reason: Reason;
  status: number | null;
  eventType: string;
  /** In any order, one entry for each stretch that has some: its number, how many, the highest id, and the most attempts. */
  buckets: readonly { number: number; count: number; sampleId: number; attempts: number }[];
};

/** An endpoint as it is set now, and what became of its latest attempts. */
export type EndpointHistory = {
  endpointId: string;
  affiliateId: string;
  maxAttempts: number;
  baseSeconds: number;
  capSeconds: number;
  timeoutMs: number;
  rateLimit: Pick<RateLimit, "amount" | "per"> | null;
  lastSuccessAtMs: number | null;
  /** Of 24 hours; null where too few attempts bear it out. */
  p95Ms: number | null;
  /** Whole hours, in any order; those without an attempt are left out. */
  hours: readonly { atMs: number; attempts: number; delivered: number }[];
};

/** An event that was delivered nowhere, and of which every delivery is a dead letter; one that was found before may have others. */
export type FailingEvent = {
  eventId: string;
  eventType: string;
  affiliateId: string;
  /** Of its deliveries, those that are to be tried again. */
  waiting: number;
  letters: readonly {
    deliveryId: number;
    endpointId: string;
    reason: Reason;
    status: number | null;
    endedAtMs: number;
  }[];
};

export type Answers = { reason: Reason; status: number | null; count: number }[];

export type Evidence = {
  count: number;
  /** The most that it has had since it appeared. */
  most: number;
  first_at: string;
  last_at: string;
  /** Ids of deliveries, the newest first; at most three. */
  samples: string[];
  /** The most frequent first. */
  answers: Answers;
  /** Endpoints that it concerns. */
  endpoints: number;
};

/** What a requeue is asked for; null and empty do not narrow. Times in ISO 8601, `to` exclusive. */
export type LetterFilter = {
  endpoint: string | null;
  reasons: Reason[];
  status: number | null;
  event_type: string | null;
  from: string | null;
  to: string | null;
};

/** The parts of an endpoint's settings that a remedy can be about. */
export type SettingName = "url" | "credentials" | "rate_limit" | "retry" | "timeout" | "template";

export type RemedyAction =
  | { kind: "requeue"; filter: LetterFilter; mode: RequeueMode }
  | { kind: "set_rate_limit"; rate_limit: Pick<RateLimit, "amount" | "per"> }
  | { kind: "set_retry"; retry: { max_attempts: number; base_seconds: number; cap_seconds: number } }
  | { kind: "set_timeout"; timeout_ms: number }
  | { kind: "open_setting"; setting: SettingName }
  | { kind: "open_event_type"; event_type: string }
  | { kind: "open_event"; event: string };

export type Finding = {
  kind: FindingKind;
  affiliateId: string;
  /** Null for what concerns one event. */
  endpointId: string | null;
  eventType: string | null;
  eventId: string | null;
  /** Where an endpoint can have several findings of a kind, which one this is. */
  reason: Reason | null;
  /** As above, for outages: when it began as it was first found; what is left of it may begin later. */
  run: string | null;
  evidence: Evidence;
  /** What the dead letters show, and what to do about it. */
  sentence: string;
  remedy: string;
  actions: RemedyAction[];
};

/** Tells findings apart, and is the same for as long as one lasts. */
export function findingKey({
  kind,
  endpointId,
  eventType,
  eventId,
  reason,
  run,
}: Pick<Finding, "kind" | "endpointId" | "eventType" | "eventId" | "reason" | "run">): string {
  const key = [kind, endpointId, eventType, eventId, reason].map((part) => part ?? "").join("|");
  return run === null ? key : `${key}|${run}`;
}
