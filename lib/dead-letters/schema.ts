import { z } from "zod";
import { type AffiliateRef, affiliateKey } from "#lib/affiliates/schema.ts";
import type { Alert } from "#lib/alerts/schema.ts";
import { pageQuery } from "#lib/api/paging.ts";
import { plainText } from "#lib/api/text.ts";
import { isoTime } from "#lib/api/time.ts";
import type { Delivery } from "#lib/deliveries/schema.ts";
import { eventTypeName } from "#lib/event-types/schema.ts";
import { type Reason, reasons, statusClasses } from "#lib/vocabulary.ts";

const filters = {
  endpoint: z.uuid().optional(),
  affiliate: affiliateKey.optional(),
  /** One or more, separated by commas. */
  reason: z
    .string()
    .max(1_000)
    .transform((text) => text.split(","))
    .pipe(z.array(z.enum(reasons)))
    .optional(),
  status: z.coerce.number<string | number>().int().min(100).max(999).optional(),
  status_class: z.enum(statusClasses).optional(),
  event_type: eventTypeName.optional(),
  /** The id of a delivery or of an event. */
  q: plainText().trim().max(200).optional(),
  /** Given up from this time on, and before that one. */
  from: isoTime.optional(),
  to: isoTime.optional(),
};

export const deadLetterFilters = z.object(filters);
export type DeadLetterFilters = z.infer<typeof deadLetterFilters>;

export const deadLetterListQuery = pageQuery.extend(filters);
export type DeadLetterListQuery = z.infer<typeof deadLetterListQuery>;

/** Dead letters of one endpoint with the same answer. */
export type DeadLetterGroup = {
  endpoint: Pick<Delivery["endpoint"], "id" | "name" | "status">;
  affiliate: AffiliateRef;
  reason: Reason | null;
  status: number | null;
  count: number;
  first_at: string;
  last_at: string;
  mean_attempts: number;
  /** The newest of them. */
  sample: string;
};

/** The largest groups, at most `groups_shown`; `count` is of all. */
export type DeadLetterGroups = { data: DeadLetterGroup[]; count: number; groups: number };
export const groupsShown = 50;

/** What dead letters show now, at most 200; `count` is of all. `looked_at` is null until a worker has looked for the first time. */
export type DeadLetterFindings = { data: Alert[]; count: number; looked_at: string | null };

export const deadLetterFindingsQuery = z.object({ endpoint: filters.endpoint, affiliate: filters.affiliate });
export type DeadLetterFindingsQuery = z.infer<typeof deadLetterFindingsQuery>;
