import { createLoader, parseAsString } from "nuqs/server";
import type { EndpointFilters } from "#lib/endpoints/client.ts";

export const portalParams = { cursor: parseAsString };
export const loadPortalParams = createLoader(portalParams);

export function portalFilters(cursor: string | null): EndpointFilters {
  return cursor === null ? {} : { cursor };
}
