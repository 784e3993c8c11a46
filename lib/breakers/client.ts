import { mutationOptions, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { callApi } from "#lib/api/fetcher.ts";
import type { Page } from "#lib/api/paging.ts";
import type { BreakerMove, breakerHistoryQuery } from "#lib/breakers/schema.ts";
import type { Endpoint } from "#lib/endpoints/schema.ts";

export type BreakerHistoryFilters = z.input<typeof breakerHistoryQuery>;

/** What may be done to a breaker by hand. */
export type BreakerVerb = "hold" | "reset" | "close";

const pathOf = (endpointId: string) => `/api/console/endpoints/${encodeURIComponent(endpointId)}`;

/** One page of what moved an endpoint's breaker, newest first. */
export function breakerHistoryOptions(endpointId: string, filters: BreakerHistoryFilters) {
  return queryOptions({
    queryKey: ["endpoints", "breaker-history", endpointId, filters] as const,
    queryFn: ({ signal }) =>
      callApi<Page<BreakerMove>>(`${pathOf(endpointId)}/breaker-history`, { query: { ...filters }, signal }),
  });
}

/** Moves a breaker by hand. Holding it needs a reason, which goes into the audit log. */
export const moveBreakerOptions = mutationOptions({
  mutationFn: ({ id, verb, reason }: { id: string; verb: BreakerVerb; reason: string }) =>
    callApi<Endpoint>(`${pathOf(id)}/breaker/${verb}`, {
      method: "POST",
      ...(verb === "hold" ? { body: { reason } } : {}),
    }),
  onSettled: (_data, _error, _move, _result, { client }) => client.invalidateQueries(),
});
