/** What routing needs of an endpoint. `eventTypes` null subscribes to everything. */
export type Subscription = { eventTypes: readonly string[] | null };

/**
 * Whether an endpoint of the event's affiliate gets the event, and if not, why. Used by the fan-out, and
 * again when somebody asks why an endpoint did not get an event.
 */
export function route(event: { type: string }, endpoint: Subscription): "deliver" | "not_subscribed" {
  return endpoint.eventTypes === null || endpoint.eventTypes.includes(event.type)
    ? "deliver"
    : "not_subscribed";
}
