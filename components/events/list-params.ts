import { createLoader, type inferParserType, parseAsString } from "nuqs/server";
import type { EventFilters } from "#lib/events/client.ts";

/** The list's place in the URL, read alike on the server and in the browser. */
export const eventParams = {
  id: parseAsString,
  type: parseAsString,
  affiliate: parseAsString,
  from: parseAsString,
  to: parseAsString,
  q_hash: parseAsString,
  cursor: parseAsString,
};
export const loadEventParams = createLoader(eventParams);

export function eventFilters(params: inferParserType<typeof eventParams>): EventFilters {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
}
