import { z } from "zod";
import { type AffiliateRef, affiliateKey } from "#lib/affiliates/schema.ts";
import { pageQuery } from "#lib/api/paging.ts";
import { plainText } from "#lib/api/text.ts";
import type { BreakerStatus } from "#lib/breakers/schema.ts";
import { checkResponseRules, type ResponseRule } from "#lib/delivery/response-rules.ts";
import { defaultBurst, type RateLimit, ratePeriods } from "#lib/delivery/token-bucket.ts";
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

const rateNumber = z.number().int().min(1).max(1_000_000);
/** Null sends without a limit. `burst`: how many may go at once after a pause; a tenth of the amount if left out. */
const rateLimit = z
  .strictObject({ amount: rateNumber, per: z.enum(ratePeriods), burst: rateNumber.optional() })
  .transform(({ amount, per, burst }): RateLimit => ({ amount, per, burst: burst ?? defaultBurst(amount) }))
  .nullable();

/** RFC 9110, 5.6.2. */
const headerToken = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Of one connection and not of the message (RFC 9110, 7.6.1), or the sender's own business. */
const senderHeaders = new Set([
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
]);

const headerName = z
  .string()
  .min(1, { abort: true })
  .max(100)
  .regex(headerToken, "must be letters, digits and !#$%&'*+-.^_`|~ only, without a space or a colon")
  .refine((name) => !isSenderHeader(name.toLowerCase()), "is set by Posthorn and cannot be given");
const headerValue = z
  .string()
  .min(1)
  .max(2_000)
  .regex(
    /^[\t\x20-\x7e\x80-\xff]*$/,
    "must not contain line breaks, other control characters or characters beyond U+00FF",
  )
  .refine((value) => !/^[\t ]|[\t ]$/.test(value), "must not begin or end with a space");

/** Webhooks' own and Posthorn's names are kept for them, also those that are not in use yet. */
function isSenderHeader(name: string): boolean {
  return senderHeaders.has(name) || name.startsWith("webhook-") || name.startsWith("posthorn-");
}

/** Sent beside ours, in this order. HTTP takes no notice of case in names, so neither may two of them differ by it. */
function headerList<T extends z.ZodType<string | null>>(value: T) {
  return z
    .array(z.strictObject({ name: headerName, value }))
    .max(20)
    .superRefine((headers, context) => {
      const names = headers.map(({ name }) => name.toLowerCase());
      for (const [i, name] of names.entries()) {
        if (names.indexOf(name) === i) continue;
        context.addIssue({ code: "custom", path: [i, "name"], message: "is given more than once" });
      }
    });
}
const newHeaders = headerList(headerValue);
/** Null keeps the value that is stored for this name. */
const editedHeaders = headerList(headerValue.nullable());
export type EndpointHeader = z.infer<typeof newHeaders>[number];
export type GivenHeader = z.infer<typeof editedHeaders>[number];

const ruleText = plainText().max(1_000);
const retry = z.boolean();
const responseRules = z
  .array(
    z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("status_in"), statuses: z.array(z.number().int()).max(100), retry }),
      z.strictObject({ kind: z.literal("body_contains"), text: ruleText, retry }),
      z.strictObject({ kind: z.literal("body_does_not_contain"), text: ruleText, retry }),
      z.strictObject({ kind: z.literal("body_equals"), text: ruleText, retry }),
      z.strictObject({ kind: z.literal("duplicate"), text: ruleText }),
    ]),
  )
  .max(20)
  .superRefine((rules, context) => {
    for (const { rule, field, message } of checkResponseRules(rules)) {
      context.addIssue({ code: "custom", path: [rule, field], message });
    }
  });

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
  rate_limit: rateLimit.default(null),
  headers: newHeaders.default([]),
  response_rules: responseRules.default([]),
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
    rate_limit: rateLimit.optional(),
    headers: editedHeaders.optional(),
    response_rules: responseRules.optional(),
  })
  .refine((edit) => Object.keys(edit).length > 0, "must change at least one field");
export type EndpointEdit = z.infer<typeof endpointEdit>;

export const endpointListQuery = pageQuery.extend({
  q: plainText().trim().max(200).optional(),
  affiliate: affiliateKey.optional(),
  status: z.enum(endpointStatuses).optional(),
  /** Only endpoints that get events of this type, by its name or because they get all. */
  event_type: eventTypeName.optional(),
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
  rate_limit: RateLimit | null;
  /** Values may be credentials, so they are never shown; an edit that repeats the null keeps what is stored. */
  headers: { name: string; value: null }[];
  response_rules: ResponseRule[];
  health: EndpointHealth;
  breaker: BreakerStatus;
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
