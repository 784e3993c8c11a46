import { z } from "zod";
import { type AffiliateRef, affiliateKey } from "#lib/affiliates/schema.ts";
import { listOf } from "#lib/api/list-of.ts";
import { type Page, pageQuery } from "#lib/api/paging.ts";
import { isoTime } from "#lib/api/time.ts";
import { eventTypeName } from "#lib/event-types/schema.ts";
import { eventId } from "#lib/events/schema.ts";
import { searchedHash, searchedValue } from "#lib/search/schema.ts";
import {
  type AttemptOutcome,
  type DeliveryState,
  deliveryStates,
  type EndpointKind,
  type EndpointStatus,
  type HttpMethod,
  type Reason,
  reasons,
  statusClasses,
} from "#lib/vocabulary.ts";

export const deliveryId = z.string().regex(/^[1-9][0-9]{0,17}$/, "must be a delivery's id");

const attempts = z.coerce.number<string | number>().int().min(0).max(1_000_000);

/** What a list of deliveries can be narrowed by. */
export const deliveryFilters = z.object({
  /** Any of these, joined by commas. */
  state: listOf(deliveryStates).optional(),
  reason: z.enum(reasons).optional(),
  /** Of the latest answer; `none`: an attempt was made, and no answer came. */
  status_class: z.enum(statusClasses).optional(),
  endpoint: z.uuid().optional(),
  affiliate: affiliateKey.optional(),
  event: eventId.optional(),
  /** Put back by this requeue. */
  requeue: z.uuid().optional(),
  type: eventTypeName.optional(),
  /** Of attempts made, resends included. */
  attempts_min: attempts.optional(),
  attempts_max: attempts.optional(),
  /** Made from this time on, and before that one. */
  from: isoTime.optional(),
  to: isoTime.optional(),
  /** Of events that have the value that was searched. */
  q_hash: searchedHash.optional(),
});
export type DeliveryFilterValues = Omit<z.infer<typeof deliveryFilters>, "q_hash">;
export type DeliveryFilterQuery = z.infer<typeof deliveryFilters>;

export const deliveryListQuery = pageQuery.extend(deliveryFilters.shape);
export type DeliveryListQuery = z.infer<typeof deliveryListQuery>;

/** The ids before and after one in a list that is newest first; null at its ends. */
export type DeliveryNeighbours = { previous: string | null; next: string | null };

/** A search with the list's filters; the value is in the body, so that no log of URLs has it. */
export const deliverySearch = z.strictObject({
  ...deliveryListQuery.omit({ q_hash: true }).shape,
  value: searchedValue,
});
export type DeliverySearch = z.infer<typeof deliverySearch>;

/** What a search found, and the `q_hash` that finds by a searchable value again. */
export type DeliverySearchPage = Page<Delivery> & { hash: string };

/**
 * `force`: also when a later one of its ordering key has been attempted. `render_again`: a postback is rendered by its
 * endpoint's template as it is now; otherwise the same request goes again.
 */
export const deliveryResend = z.strictObject({
  force: z.boolean().default(false),
  render_again: z.boolean().default(false),
});
export type DeliveryResend = z.infer<typeof deliveryResend>;

export type Delivery = {
  id: string;
  event_id: string;
  event_type: string;
  affiliate: AffiliateRef;
  endpoint: {
    id: string;
    name: string;
    kind: EndpointKind;
    url: string;
    status: EndpointStatus | "deleted";
  };
  state: DeliveryState;
  reason: Reason | null;
  /** Waits only because its endpoint is paused or disabled. */
  held: boolean;
  /** Waits for another delivery of its ordering key, whatever its endpoint's state. */
  blocked: boolean;
  /** Number of the latest attempt; 0 before the first. */
  attempt_number: number;
  /** Attempts used of `max_attempts` since it was made or put back. */
  attempts_charged: number;
  max_attempts: number;
  /** Waits because its endpoint's breaker is open, or probing. */
  behind_breaker: boolean;
  /** When it will next move; null when nothing more is planned, or nobody can say when. */
  next_attempt_at: string | null;
  last_status: number | null;
  last_attempt_at: string | null;
  last_duration_ms: number | null;
  created_at: string;
  delivered_at: string | null;
  ended_at: string | null;
};

export type Attempt = {
  number: number;
  started_at: string;
  outcome: AttemptOutcome;
  reason: Reason | null;
  status: number | null;
  error_code: string | null;
  dns_ms: number | null;
  connect_ms: number | null;
  tls_ms: number | null;
  first_byte_ms: number | null;
  duration_ms: number | null;
  late: boolean;
  worker_id: string | null;
  /** Null once its retention has ended, or when the worker was lost. */
  request_url: string | null;
  response_headers: [name: string, value: string][] | null;
  /** As text, with U+FFFD where the bytes are not UTF-8. */
  response_body: string | null;
  response_body_truncated: boolean;
  /** Where their redirect points, its query masked; null without one. */
  redirect_to: string | null;
  /** The wait that their Retry-After asked for, as far as it is followed: `capped` says that it was longer. */
  retry_after: { delay_seconds: number; capped: boolean } | null;
};

/** How many more deliveries may be resent now, of so many an hour; `next_at`: when it is one more. */
export type ResendAllowance = { limit: number; left: number; next_at: string | null };

export type DeliveryDetail = Delivery & {
  occurred_at: string;
  /**
   * What every attempt sends, secrets as macros; of a webhook with the URL that its endpoint has now. Null once its
   * retention has ended, and for a postback that was never rendered.
   */
  request: {
    method: HttpMethod;
    url: string;
    content_type: string | null;
    /** The exact body; null for none. */
    body: string | null;
  } | null;
  /** Sensitive values of the event are masked in this answer. */
  masked: boolean;
  /** Oldest first; at most the latest 200. */
  attempts: Attempt[];
  /** The delivery of its ordering key that it waits for; null unless blocked. */
  blocked_by: string | null;
  /** Why it cannot be resent now, in words; null when it can. */
  resend_refusal: string | null;
  /** Why a postback cannot be rendered again and resent now; null when it can, and for webhooks. */
  render_refusal: string | null;
  /** Of an affiliate's own users, all together; null for whoever has no such limit. */
  resends: ResendAllowance | null;
  /** The refusal is only that its ordering key has moved on: `force` resends it. */
  superseded: boolean;
};
