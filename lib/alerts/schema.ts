import { z } from "zod";
import { type AffiliateRef, affiliateKey } from "#lib/affiliates/schema.ts";
import { pageQuery } from "#lib/api/paging.ts";
import type { Delivery } from "#lib/deliveries/schema.ts";
import type { Evidence, RemedyAction } from "#lib/delivery/diagnosis/types.ts";
import {
  type AlertState,
  alertStates,
  type FindingKind,
  findingKinds,
  type Reason,
} from "#lib/vocabulary.ts";

export const alertId = z.string().regex(/^[1-9][0-9]{0,17}$/, "must be an alert's id");

export const alertListQuery = pageQuery.extend({
  state: z.enum(alertStates).optional(),
  kind: z.enum(findingKinds).optional(),
  endpoint: z.uuid().optional(),
  affiliate: affiliateKey.optional(),
});
export type AlertListQuery = z.infer<typeof alertListQuery>;

/** What dead letters showed, from when it appeared until it ended; an ended one as it was last seen. */
export type Alert = {
  id: string;
  state: AlertState;
  kind: FindingKind;
  affiliate: AffiliateRef;
  /** Null for what concerns one event. */
  endpoint: Pick<Delivery["endpoint"], "id" | "name" | "status"> | null;
  event_type: string | null;
  event_id: string | null;
  reason: Reason | null;
  evidence: Evidence;
  sentence: string;
  remedy: string;
  actions: RemedyAction[];
  first_seen_at: string;
  last_seen_at: string;
  ended_at: string | null;
};
