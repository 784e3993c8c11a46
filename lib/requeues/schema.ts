import { z } from "zod";
import { type AffiliateRef, affiliateKey } from "#lib/affiliates/schema.ts";
import { pageQuery } from "#lib/api/paging.ts";
import { plainText } from "#lib/api/text.ts";
import { isoTime } from "#lib/api/time.ts";
import { deliveryId } from "#lib/deliveries/schema.ts";
import { eventTypeName } from "#lib/event-types/schema.ts";
import {
  type ActorKind,
  type BreakerState,
  type DeliveryState,
  type EndpointStatus,
  type Reason,
  type RequeueMode,
  type RequeueOperation,
  type RequeueRefusal,
  type RequeueSource,
  type RequeueState,
  reasons,
  requeueModes,
  requeueOperations,
  requeueSources,
  requeueStates,
  type StatusClass,
  statusClasses,
} from "#lib/vocabulary.ts";

const maxRequeueIds = 1_000;
const maxRequeueRatePerSecond = 10_000;

/**
 * Which deliveries are meant. Without `ids`: dead letters, all of them or those that fit; with other `states` those of
 * one endpoint. `from` and `to` are about when they failed; what was held and never tried counts from when it was made.
 */
export const requeueFilter = z
  .strictObject({
    ids: z.array(deliveryId).min(1).max(maxRequeueIds).optional(),
    states: z.array(z.enum(requeueSources)).min(1).max(requeueSources.length).optional(),
    endpoint: z.uuid().optional(),
    affiliate: affiliateKey.optional(),
    event_type: eventTypeName.optional(),
    reasons: z.array(z.enum(reasons)).min(1).max(reasons.length).optional(),
    status: z.int().min(100).max(999).optional(),
    status_class: z.enum(statusClasses).optional(),
    from: isoTime.optional(),
    to: isoTime.optional(),
  })
  .superRefine(({ ids, ...narrowing }, context) => {
    if (ids && Object.values(narrowing).some((value) => value !== undefined)) {
      context.addIssue({ code: "custom", path: ["ids"], message: "cannot be combined with other filters" });
    }
    const beyondDead = narrowing.states?.some((source) => source !== "dead_letter");
    if (beyondDead && narrowing.endpoint === undefined) {
      context.addIssue({
        code: "custom",
        path: ["endpoint"],
        message: "is needed for anything but dead letters",
      });
    }
    const { from, to } = narrowing;
    if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to)) {
      context.addIssue({ code: "custom", path: ["to"], message: "must be later than from" });
    }
  });
export type RequeueFilterInput = z.input<typeof requeueFilter>;

const what = {
  operation: z.enum(requeueOperations).default("requeue"),
  filter: requeueFilter,
  mode: z.enum(requeueModes).default("same_url"),
};

export const requeuePreview = z.strictObject(what);
export type RequeuePreviewInput = z.infer<typeof requeuePreview>;

export const requeueCreate = z.strictObject({
  ...what,
  /** Deliveries put back in a second; as fast as they go when left out. */
  rate_per_second: z.number().min(0.01).max(maxRequeueRatePerSecond).optional(),
  reason: plainText().trim().min(1).max(500),
  /** The `as_of` of the preview that was agreed to: what failed after it is not taken. Now when left out. */
  as_of: isoTime.optional(),
  /** Made by the caller, once for what is meant once: a repeated call is answered with the first one's requeue. */
  request_id: z.uuid().optional(),
});
export type RequeueCreate = z.infer<typeof requeueCreate>;

export const requeueListQuery = pageQuery.extend({ state: z.enum(requeueStates).optional() });
export type RequeueListQuery = z.infer<typeof requeueListQuery>;

/** A thousand ids and what belongs to them. */
export const maxRequeueBytes = 65_536;

export type RequeueCount = { why: RequeueRefusal; count: number };
/** So many postbacks that the template has nothing for, and why. */
export type RenderFailure = { reason: Reason; count: number };

/** Why what is put back for an endpoint does not go out at once. */
export type RequeueHold = "paused" | "disabled" | "breaker" | "asked_to_wait";

export type RequeuePreviewEndpoint = {
  id: string;
  name: string;
  status: EndpointStatus | "deleted";
  breaker: BreakerState;
  affiliate: AffiliateRef;
  total: number;
  /** Of them, those that will be put back or discarded. */
  accepted: number;
  /** All of those wait for the endpoint, and why; null when they go out. Always null for discarding. */
  hold: RequeueHold | null;
  refused: RequeueCount[];
  failed: RenderFailure[];
};

/** What a requeue would do now, counted exactly unless it says `at_most`. */
export type RequeuePreview = {
  as_of: string;
  total: number;
  accepted: number;
  /** More than 50,000 postbacks are to be rendered again, and were not for this: one that the template has nothing for will be left. */
  at_most: boolean;
  /** Of the accepted: those whose endpoint does not send at the moment. */
  held: number;
  refused: RequeueCount[];
  failed: RenderFailure[];
  states: { state: DeliveryState; count: number }[];
  /** The largest first, at most 100. */
  endpoints: RequeuePreviewEndpoint[];
  endpoint_count: number;
  /**
   * Unfinished requeues with some of the same deliveries: while there is one, this cannot be made. The id is null where
   * the caller may not see it.
   */
  overlaps: { id: string | null; count: number }[];
};

export type Requeue = {
  id: string;
  operation: RequeueOperation;
  mode: RequeueMode;
  state: RequeueState;
  filter: {
    ids?: string[];
    states?: RequeueSource[];
    endpoint?: { id: string; name: string };
    affiliate?: AffiliateRef;
    event_type?: string;
    reasons?: Reason[];
    status?: number;
    status_class?: StatusClass;
    from?: string;
    to?: string;
  };
  as_of: string;
  rate_per_second: number | null;
  reason: string;
  created_by: { kind: ActorKind; id: string | null; name: string };
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  cancelled_by: string | null;
  /** What the filter found when it was made; what is not among the rest is still to come. */
  total: number;
  done: number;
  refused: RequeueCount[];
  /** Could not be rendered again, by the reason. */
  failed: RenderFailure[];
};

export type RequeueDetail = Requeue & {
  /** The first deliveries that were refused or failed. */
  sample: { delivery: string; why: RequeueRefusal; reason: Reason | null }[];
};
