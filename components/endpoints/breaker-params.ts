import { createLoader, parseAsString } from "nuqs/server";
import type { BreakerHistoryFilters } from "#lib/breakers/client.ts";

/** The place in a breaker's history, in the URL of its endpoint's page. */
export const breakerParams = { breaker_cursor: parseAsString };
export const loadBreakerParams = createLoader(breakerParams);

export function breakerFilters(cursor: string | null): BreakerHistoryFilters {
  return cursor === null ? { limit: 10 } : { limit: 10, cursor };
}
