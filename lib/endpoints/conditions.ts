import { and, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import {
  endpoints,
  endpointHealth as health,
  endpointPercentiles as percentiles,
} from "#drizzle/schema/index.ts";
import type { EndpointView } from "./views.ts";

/**
 * What `endpointCondition` says of one endpoint, as SQL over endpoints joined with their health and percentiles: lists
 * and counts ask by the same words.
 */
const failed = sql`(${health.consecutiveFailures} > 0 or ${health.failingAttempts} > 0)`;
/** Opened by failures, not by hand. */
const hasOpened = sql`(${health.breaker} <> 'closed' and ${health.breakerHeldBy} is null)`;
const isActive = eq(endpoints.status, "active");
const isSlow = sql`coalesce(${percentiles.slow} or ${percentiles.slowing}, false)`;

/** Its latest attempts failed, or did until its breaker opened. */
export const isFailing = sql<boolean>`(${failed} or ${hasOpened})`;

const views = {
  failing: and(isActive, isFailing),
  slow: and(isActive, isSlow),
  breaker_open: and(isActive, inArray(health.breaker, ["open", "half_open"])),
  paused: eq(endpoints.status, "paused"),
  disabled: eq(endpoints.status, "disabled"),
  all: sql`true`,
} satisfies Record<EndpointView, SQL | undefined>;

/** Whether a live endpoint is in this view of the list. */
export function inView(view: EndpointView): SQL {
  return and(isNull(endpoints.deletedAt), views[view]) as SQL;
}

/** How bad it is, the worst highest: what needs somebody, what is being dealt with, what is merely slow, the rest. */
export const severity = sql<number>`case when ${views.disabled} then 5 when ${views.paused} then 1
  when ${health.breaker} <> 'closed' then 4 when ${failed} then 3 when ${isSlow} then 2 else 0 end`;

export const failuresInARow = sql<number>`greatest(${health.failingAttempts}, ${health.consecutiveFailures})`;

/** In milliseconds, as a double so that a cursor gives it back unchanged; 0 without samples. */
export const p95OrZero = sql<number>`coalesce(${percentiles.p95Ms}, 0)::float8`;

const waits = sql`d.endpoint_id = ${endpoints.id} and d.state in ('pending', 'failed')`;

/** Something waits for it, held and blocked ones included: along deliveries_due and deliveries_blocked. */
export const hasBacklog = sql<boolean>`(
  exists (select from posthorn.deliveries d where ${waits} and not d.blocked)
  or exists (select from posthorn.deliveries d where ${waits} and d.blocked))`;

/** Held ones last: their age is somebody's decision. */
export const isMoving = sql<number>`(${endpoints.status} = 'active')::int`;

/** Minus the microsecond at which its first was due, so that the oldest is the highest; a probe of deliveries_due. */
export const oldestDueFirst = sql<string>`-coalesce((
  select (extract(epoch from d.next_attempt_at) * 1000000)::bigint from posthorn.deliveries d
  where ${waits} and not d.blocked order by d.next_attempt_at limit 1), 9000000000000000)`;
