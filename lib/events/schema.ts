import { z } from "zod";
import { type AffiliateRef, affiliateKey } from "#lib/affiliates/schema.ts";
import { pageQuery } from "#lib/api/paging.ts";
import { plainText } from "#lib/api/text.ts";
import { isoTime } from "#lib/api/time.ts";
import type { Filter } from "#lib/delivery/filters.ts";
import type { FieldError } from "#lib/errors.ts";
import { eventTypeName } from "#lib/event-types/schema.ts";
import { searchedHash } from "#lib/search/schema.ts";
import type { DeliveryState, Reason } from "#lib/vocabulary.ts";

export const maxEventBytes = 1_048_576;
export const maxRequestBytes = 16 * 1_048_576;
export const maxEventsPerRequest = 1_000;
export const maxDataDepth = 64;

export const eventId = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, "must be 1 to 128 of A-Z a-z 0-9 _ -");

const earliestMs = Date.parse("0001-01-01T00:00:00Z");
const latestMs = Date.parse("9999-12-31T23:59:59.999Z");

/** Beyond these PostgreSQL and ISO 8601's four digits part. What is no time at all was refused before. */
function isFourDigitYear(text: string): boolean {
  const timeMs = Date.parse(text);
  return !(timeMs < earliestMs || timeMs > latestMs);
}

/** Everything of a published event but its data, whose bytes never pass through a parser's values. */
export const eventEnvelope = z.strictObject({
  id: eventId.optional(),
  type: eventTypeName,
  affiliate: affiliateKey,
  occurred_at: z.iso
    .datetime({ offset: true, error: "must be an ISO 8601 time with a zone, such as 2026-01-31T12:00:00Z" })
    .refine(isFourDigitYear, "must lie within the years 0001 to 9999 UTC")
    .optional(),
  ordering_key: plainText().min(1).max(256).optional(),
});

export const eventListQuery = pageQuery.extend({
  /** This one event. */
  id: eventId.optional(),
  type: eventTypeName.optional(),
  affiliate: affiliateKey.optional(),
  /** Received from this time on, and before that one. */
  from: isoTime.optional(),
  to: isoTime.optional(),
  /** Those that have the value that was searched. */
  q_hash: searchedHash.optional(),
});
export type EventListQuery = z.infer<typeof eventListQuery>;

/** `warnings`, where there are any: what the event type does not allow, or will not for long, and was accepted all the same. */
export type EventAccepted = { id: string; duplicate: boolean; warnings?: FieldError[] };

export type Event = {
  id: string;
  type: string;
  affiliate: AffiliateRef;
  occurred_at: string;
  received_at: string;
  ordering_key: string | null;
  data_bytes: number;
};

/** Why an endpoint of the event's affiliate did or did not get it, worked out when asked. */
export type EventRecipient = {
  endpoint: { id: string; name: string; url: string };
  decision:
    | "delivery"
    | "not_subscribed"
    | "filtered_out"
    | "created_later"
    | "awaiting_fan_out"
    | "changed_since";
  /** The first filter that the event does not pass, where it was filtered out. */
  filter: Filter | null;
  /** `held` and `blocked` as in a delivery. */
  delivery: {
    id: string;
    state: DeliveryState;
    reason: Reason | null;
    held: boolean;
    blocked: boolean;
  } | null;
};

export type EventDetail = Event & {
  /** The exact JSON text that the event was given with; null once its retention has ended. */
  data_text: string | null;
  /** Sensitive values are masked in this answer. */
  masked: boolean;
  recipients: EventRecipient[];
};
