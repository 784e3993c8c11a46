import { createLoader, type inferParserType, parseAsString } from "nuqs/server";
import type { EventTypeFilters } from "#lib/event-types/client.ts";

/** The list's place in the URL, read alike on the server and in the browser. */
export const eventTypeParams = { cursor: parseAsString };
export const loadEventTypeParams = createLoader(eventTypeParams);

export function eventTypeFilters({ cursor }: inferParserType<typeof eventTypeParams>): EventTypeFilters {
  return cursor === null ? {} : { cursor };
}
