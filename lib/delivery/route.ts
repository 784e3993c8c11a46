import type { FieldKind } from "#lib/vocabulary.ts";
import { type Filter, failingFilter } from "./filters.ts";

/** What routing needs of an endpoint. `eventTypes` null subscribes to everything. */
export type Subscription = { eventTypes: readonly string[] | null; filters: readonly Filter[] };

/** What filters need of an event: the text of its fields (readFields), and their kinds in the catalogue. */
export type EventFields = {
  values: ReadonlyMap<string, string>;
  kinds: ReadonlyMap<string, FieldKind>;
};

export type RouteDecision =
  | { decision: "deliver" }
  | { decision: "not_subscribed" }
  | { decision: "filtered_out"; filter: Filter };

/**
 * Whether an endpoint of the event's affiliate gets the event, and if not, why. Used by the fan-out, and
 * again when somebody asks why an endpoint did not get an event. `fields` is asked for only where filters are.
 */
export function route(
  event: { type: string; fields: () => EventFields },
  { eventTypes, filters }: Subscription,
): RouteDecision {
  if (eventTypes !== null && !eventTypes.includes(event.type)) return { decision: "not_subscribed" };
  const filter = filters.length === 0 ? null : failingFilter(filters, event.fields());
  return filter === null ? { decision: "deliver" } : { decision: "filtered_out", filter };
}
