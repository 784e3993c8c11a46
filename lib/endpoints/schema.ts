import { z } from "zod";
import { type AffiliateRef, affiliateKey } from "#lib/affiliates/schema.ts";
import { type CappedCount, pageQuery } from "#lib/api/paging.ts";
import { plainText } from "#lib/api/text.ts";
import type { BreakerStatus } from "#lib/breakers/schema.ts";
import { type Filter, numericComparisons } from "#lib/delivery/filters.ts";
import { checkResponseRules, type ResponseRule } from "#lib/delivery/response-rules.ts";
import { maxBodyTemplateLength, maxUrlTemplateLength } from "#lib/delivery/template/types.ts";
import { defaultBurst, type RateLimit, ratePeriods } from "#lib/delivery/token-bucket.ts";
import type { EndpointChange } from "#lib/endpoint-changes/schema.ts";
import { eventTypeName } from "#lib/event-types/schema.ts";
import {
  type EndpointKind,
  type EndpointStatus,
  endpointKinds,
  endpointStatuses,
  httpMethods,
  type Ordering,
  orderings,
  postbackContentTypes,
  type Reason,
  type ResumeBar,
} from "#lib/vocabulary.ts";
import { endpointViews } from "./views.ts";

/** Of a request that makes or edits one: the longest templates, and lists of filters as long as anybody has them. */
export const maxEndpointBytes = 1_048_576;

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

/** What of a postback is not its URL. A body needs POST, and says what it is; only a GET's URL is signed. */
const postback = z
  .strictObject({
    method: z.enum(httpMethods).default("GET"),
    content_type: z.enum(postbackContentTypes).nullable().default(null),
    body: z.string().min(1).max(maxBodyTemplateLength).nullable().default(null),
    sign: z.boolean().default(false),
  })
  .superRefine((given, context) => {
    refuseMisfits(given, (field, message) => context.addIssue({ code: "custom", path: [field], message }));
  });
export type Postback = z.infer<typeof postback>;

/** Tells of what of a postback does not go together. */
export function refuseMisfits(
  given: Postback,
  tell: (field: "body" | "content_type" | "sign", message: string) => void,
): void {
  const { method, content_type, body, sign } = given;
  if (method === "GET" && body !== null) tell("body", "must be left out of a GET request");
  if (body !== null && content_type === null)
    tell("content_type", "must say whether the body is JSON or a form");
  if (body === null && content_type !== null) tell("content_type", "must be left out without a body");
  if (method === "POST" && sign) tell("sign", "is possible for GET only");
}

const filterText = plainText().min(1).max(500);
const filterField = z.string().min(1).max(64);
const filters = z
  .array(
    z.discriminatedUnion("is", [
      z.strictObject({ field: filterField, is: z.literal("present") }),
      z.strictObject({ field: filterField, is: z.literal("equal"), value: filterText }),
      z.strictObject({
        field: filterField,
        is: z.literal("one_of"),
        values: z.array(filterText).min(1).max(200),
      }),
      z.strictObject({
        field: filterField,
        is: z.enum(numericComparisons),
        value: z
          .string()
          .max(100)
          .regex(/^-?\d+(\.\d+)?$/, "must be a number, such as 10 or 12.50"),
      }),
    ]),
  )
  .max(20);

/** Written into a postback where `{secret.name}` stands. */
const macroSecretName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 of A-Z a-z 0-9 _ -");
const macroSecretValue = plainText().min(1).max(1_000);
function macroSecretList<T extends z.ZodType<string | null>>(value: T) {
  return z
    .array(z.strictObject({ name: macroSecretName, value }))
    .max(20)
    .superRefine((secrets, context) => {
      const names = secrets.map(({ name }) => name);
      for (const [i, name] of names.entries()) {
        if (names.indexOf(name) === i) continue;
        context.addIssue({ code: "custom", path: [i, "name"], message: "is given more than once" });
      }
    });
}

const name = plainText().trim().min(1).max(200);
/** A postback's may be longer: it is a template. */
export const maxWebhookUrl = 2_048;
const url = z.string().trim().min(1).max(maxUrlTemplateLength);
/** Null subscribes to every event type, also to those that come later. */
const eventTypes = z.array(eventTypeName).min(1).max(200).nullable();
export const maxTimeoutMs = 60_000;
export const defaultTimeoutMs = 15_000;
const timeoutMs = z.number().int().min(1_000).max(maxTimeoutMs);
const concurrency = z.number().int().min(1).max(256);

export const endpointCreate = z
  .strictObject({
    affiliate: affiliateKey,
    kind: z.enum(endpointKinds).default("webhook"),
    name,
    /** A webhook's URL, or a postback's template of one. */
    url,
    /** For postbacks only. */
    postback: postback.optional(),
    macro_secrets: macroSecretList(macroSecretValue).default([]),
    event_types: eventTypes.default(null),
    filters: filters.default([]),
    timeout_ms: timeoutMs.default(defaultTimeoutMs),
    /** `quick` for webhooks and `patient` for postbacks if left out. */
    retry: retryPolicy.optional(),
    concurrency: concurrency.default(16),
    /** `none` for webhooks and `per_key` for postbacks if left out. */
    ordering: z.enum(orderings).optional(),
    rate_limit: rateLimit.default(null),
    headers: newHeaders.default([]),
    response_rules: responseRules.default([]),
  })
  .superRefine(({ kind, url, postback, macro_secrets, event_types }, context) => {
    const issue = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    if (kind === "postback") {
      if (event_types === null) issue("event_types", "must name what a postback's template is for");
      return;
    }
    if (url.length > maxWebhookUrl) issue("url", `must have at most ${maxWebhookUrl} characters`);
    if (postback) issue("postback", "is for endpoints of kind postback");
    if (macro_secrets.length > 0) issue("macro_secrets", "is for endpoints of kind postback");
  });
export type EndpointCreate = z.infer<typeof endpointCreate>;

export const endpointEdit = z
  .strictObject({
    name: name.optional(),
    url: url.optional(),
    postback: postback.optional(),
    macro_secrets: macroSecretList(macroSecretValue.nullable()).optional(),
    event_types: eventTypes.optional(),
    filters: filters.optional(),
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

/** `after`: the `next` of the call before; the oldest waiting first if left out. */
export const endpointRenderWaiting = z.strictObject({
  after: z
    .string()
    .regex(/^(0|[1-9][0-9]{0,17})$/, "must be the next of the call before")
    .default("0"),
});
export type EndpointRenderWaiting = z.infer<typeof endpointRenderWaiting>;

/**
 * `worst`: disabled, then breaker open, failing, slow, paused, the rest; within each the most failures in a row first.
 * `slowest`: by P95. `oldest_due`: what has been due longest first, endpoints that hold theirs last.
 */
export const endpointSorts = ["newest", "worst", "slowest", "oldest_due"] as const;

export const endpointListQuery = pageQuery.extend({
  view: z.enum(endpointViews).default("all"),
  sort: z.enum(endpointSorts).default("newest"),
  /** Only endpoints that something waits for. */
  waiting: z.stringbool().optional(),
  /** With each endpoint's `activity`. */
  activity: z.stringbool().default(false),
  q: plainText().trim().max(200).optional(),
  affiliate: affiliateKey.optional(),
  status: z.enum(endpointStatuses).optional(),
  /** Only endpoints that get events of this type, by its name or because they get all. */
  event_type: eventTypeName.optional(),
  /** Only endpoints whose latest settled attempt failed, or whose breaker failures have opened. */
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
  /** The first of the failures that no success has interrupted yet, and how many there are. */
  failing_since: string | null;
  failing_attempts: number;
  /** Null when nothing was attempted in the last 24 hours. */
  latency: EndpointLatency | null;
};

/** What waits for an endpoint, and what its last 24 hours were like. */
export type EndpointActivity = {
  /** Waiting and awaiting a retry, held and blocked ones included. */
  backlog: CappedCount;
  /** When what is due longest was due; null when nothing is. */
  oldest_due_at: string | null;
  dead_letters: CappedCount;
  /** 24 whole hours, the current one last; an hour without attempts has zeros. */
  hours: { attempts: number; delivered: number }[];
};

export type Endpoint = {
  id: string;
  affiliate: AffiliateRef;
  kind: EndpointKind;
  name: string;
  /** A webhook's URL, or a postback's template of one. */
  url: string;
  /** Null for a webhook. */
  postback: Postback | null;
  /** Values are never shown, as those of headers. */
  macro_secrets: { name: string; value: null }[];
  event_types: string[] | null;
  filters: Filter[];
  status: EndpointStatus;
  status_changed_at: string;
  status_changed_by: string;
  /** Why its affiliate's own users may not resume it; null where they may, or it is active. */
  resume_bar: ResumeBar | null;
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
  /** Only where a list was asked for it. */
  activity?: EndpointActivity;
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

export type EndpointDetail = Endpoint & {
  backlog: EndpointBacklog;
  /** The latest edit that had to wait for the operators, while it waits and for a week after; null without one. */
  change: EndpointChange | null;
};

/** `change`: the edit was not made, and waits for the operators. */
export type EndpointEdited = Endpoint & { change: EndpointChange | null };

/** The answer to creating one: the only time that the secret comes without being asked for. */
export type EndpointCreated = Endpoint & { secret: string };
