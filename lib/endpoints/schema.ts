import { z } from "zod";
import { type AffiliateRef, affiliateKey } from "#lib/affiliates/schema.ts";
import { pageQuery } from "#lib/api/paging.ts";
import { plainText } from "#lib/api/text.ts";
import { retryPresets } from "#lib/endpoints/retry-presets.ts";
import { eventTypeName } from "#lib/event-types/schema.ts";
import {
  type EndpointKind,
  type EndpointStatus,
  endpointStatuses,
  type Ordering,
  orderings,
  type Reason,
} from "#lib/vocabulary.ts";

/** Attempts and the bounds of the backoff between them; `quick` and `patient` of product.md, or own numbers. */
export const retryPolicy = z
  .strictObject({
    max_attempts: z.number().int().min(1).max(30),
    base_seconds: z.number().int().min(1).max(3_600),
    cap_seconds: z.number().int().min(1).max(86_400),
  })
  .refine((policy) => policy.cap_seconds >= policy.base_seconds, {
    path: ["cap_seconds"],
    message: "must be at least base_seconds",
  });
export type RetryPolicy = z.infer<typeof retryPolicy>;

const name = plainText().trim().min(1).max(200);
const url = z.string().trim().min(1).max(2_048);
/** Null subscribes to every event type, also to those that come later. */
const eventTypes = z.array(eventTypeName).min(1).max(200).nullable();
const timeoutMs = z.number().int().min(1_000).max(60_000);
const concurrency = z.number().int().min(1).max(256);

export const endpointCreate = z.strictObject({
  affiliate: affiliateKey,
  name,
  url,
  event_types: eventTypes.default(null),
  timeout_ms: timeoutMs.default(15_000),
  retry: retryPolicy.default(retryPresets.quick),
  concurrency: concurrency.default(16),
  ordering: z.enum(orderings).default("none"),
});
export type EndpointCreate = z.infer<typeof endpointCreate>;

export const endpointEdit = z
  .strictObject({
    name: name.optional(),
    url: url.optional(),
    event_types: eventTypes.optional(),
    timeout_ms: timeoutMs.optional(),
    retry: retryPolicy.optional(),
    concurrency: concurrency.optional(),
    ordering: z.enum(orderings).optional(),
  })
  .refine((edit) => Object.keys(edit).length > 0, "must change at least one field");
export type EndpointEdit = z.infer<typeof endpointEdit>;

/** Revealing a secret needs a reason, which goes into the audit log. */
export const secretReveal = z.strictObject({ reason: plainText().trim().min(1).max(500) });
export type SecretReveal = z.infer<typeof secretReveal>;

export const endpointListQuery = pageQuery.extend({
  q: plainText().trim().max(200).optional(),
  affiliate: affiliateKey.optional(),
  status: z.enum(endpointStatuses).optional(),
  /** Only endpoints whose latest settled attempt failed. */
  failing: z.stringbool().optional(),
});
export type EndpointListQuery = z.infer<typeof endpointListQuery>;

/** Of the attempts of the last 24 hours; `slowing`: the last hour's P95 is far above that of the last 7 days. */
export type EndpointLatency = {
  p50_ms: number;
  p95_ms: number;
  p99_ms: number;
  samples: number;
  slow: boolean;
  slowing: boolean;
  at: string;
};

type EndpointHealth = {
  in_flight: number;
  consecutive_failures: number;
  last_success_at: string | null;
  last_failure_at: string | null;
  last_failure_reason: Reason | null;
  last_failure_status: number | null;
  /** Null when nothing was attempted in the last 24 hours. */
  latency: EndpointLatency | null;
};

export type Endpoint = {
  id: string;
  affiliate: AffiliateRef;
  kind: EndpointKind;
  name: string;
  url: string;
  event_types: string[] | null;
  status: EndpointStatus;
  status_changed_at: string;
  status_changed_by: string;
  timeout_ms: number;
  retry: RetryPolicy;
  concurrency: number;
  ordering: Ordering;
  health: EndpointHealth;
  created_at: string;
  updated_at: string;
};

/** Counts stop at `counted_to`, so that a huge backlog costs no more than a small one. */
export type EndpointBacklog = {
  waiting: number;
  awaiting_retry: number;
  /** Waiting or awaiting retry, but behind another of their ordering key. */
  blocked: number;
  dead_letters: number;
  oldest_waiting_at: string | null;
  counted_to: number;
};

export type EndpointDetail = Endpoint & { backlog: EndpointBacklog };

/** The answer to creating one: the only time that the secret comes without being asked for. */
export type EndpointCreated = Endpoint & { secret: string };
