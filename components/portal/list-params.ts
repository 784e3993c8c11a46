import { createLoader, type inferParserType, parseAsString } from "nuqs/server";
import type { EndpointFilters } from "#lib/endpoints/client.ts";

/** The list's place in the URL, read alike on the server and in the browser. */
export const portalEndpointParams = { q: parseAsString, cursor: parseAsString };
export const loadPortalEndpointParams = createLoader(portalEndpointParams);

/** The worst first. */
export function portalEndpointFilters({
  q,
  cursor,
}: inferParserType<typeof portalEndpointParams>): EndpointFilters {
  return {
    ...(q === null ? {} : { q }),
    ...(cursor === null ? {} : { cursor }),
    sort: "worst",
    activity: "true",
  };
}
