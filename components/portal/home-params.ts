import type { EndpointFilters } from "#lib/endpoints/client.ts";

/** What needs the owner comes first, so that one page of endpoints answers whether everything arrives. */
export const homeFilters: EndpointFilters = { sort: "worst", activity: "true", limit: 20 };
