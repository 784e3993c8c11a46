import { createLoader, type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import type { EndpointFilters } from "#lib/endpoints/client.ts";
import { endpointViews } from "#lib/endpoints/views.ts";

/** The list's place in the URL, read alike on the server and in the browser. */
export const endpointParams = {
  view: parseAsStringLiteral(endpointViews).withDefault("failing"),
  q: parseAsString,
  affiliate: parseAsString,
  cursor: parseAsString,
};
export const loadEndpointParams = createLoader(endpointParams);

/** The worst first; those that are slow, the slowest. */
export function endpointFilters(params: inferParserType<typeof endpointParams>): EndpointFilters {
  const sort = params.view === "slow" ? "slowest" : "worst";
  return {
    ...Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null)),
    sort,
    activity: "true",
  };
}
