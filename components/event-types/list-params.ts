import { createLoader, type inferParserType, parseAsString } from "nuqs/server";
import type { EndpointFilters } from "#lib/endpoints/client.ts";
import type { EventTypeFilters } from "#lib/event-types/client.ts";

/** The list's place in the URL, read alike on the server and in the browser; on a type's own page, its endpoints'. */
export const eventTypeParams = { q: parseAsString, cursor: parseAsString };
export const loadEventTypeParams = createLoader(eventTypeParams);

type Params = inferParserType<typeof eventTypeParams>;

export function eventTypeFilters({ q, cursor }: Params): EventTypeFilters {
  return { ...(q === null ? {} : { q }), ...(cursor === null ? {} : { cursor }) };
}

/** What an event type's page shows of the endpoints that get its events. */
export function subscriberFilters(name: string, { cursor }: Pick<Params, "cursor">): EndpointFilters {
  return { event_type: name, limit: 20, activity: "true", ...(cursor === null ? {} : { cursor }) };
}
