import { mutationOptions, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { callApi, withQuery } from "#lib/api/fetcher.ts";
import type { CappedCount, Page } from "#lib/api/paging.ts";
import type {
  Delivery,
  DeliveryDetail,
  DeliveryNeighbours,
  DeliverySearchPage,
  deliveryFilters,
  deliveryListQuery,
  deliveryResend,
} from "#lib/deliveries/schema.ts";

export type DeliveryFilters = z.input<typeof deliveryListQuery>;
/** Those that narrow the list, without the place in it. */
export type DeliveryNarrowing = z.input<typeof deliveryFilters>;

const path = "/api/console/deliveries";

/** One page of deliveries, newest first. */
export function deliveryListOptions(filters: DeliveryFilters) {
  return queryOptions({
    queryKey: ["deliveries", "list", filters] as const,
    queryFn: ({ signal }) => callApi<Page<Delivery>>(path, { query: { ...filters }, signal }),
  });
}

/** How many the filters leave. */
export function deliveryCountOptions(filters: DeliveryNarrowing) {
  return queryOptions({
    queryKey: ["deliveries", "count", filters] as const,
    queryFn: ({ signal }) => callApi<CappedCount>(`${path}/count`, { query: { ...filters }, signal }),
  });
}

/**
 * The deliveries of events that have this value, or of this id's. It may be a click id, so it travels in a body and is
 * dropped as soon as the page lets go of it.
 */
export const searchDeliveriesOptions = mutationOptions({
  mutationFn: (value: string) =>
    callApi<DeliverySearchPage>(`${path}/search`, { method: "POST", body: { value, limit: 2 } }),
  gcTime: 0,
});

/** Where the newest deliveries for the filters are to be had as CSV. */
export function deliveryExportHref(filters: DeliveryNarrowing): string {
  return withQuery(`${path}.csv`, filters);
}

/** What stands before and after this one in the list with these filters. */
export function neighboursOptions(id: string, filters: DeliveryNarrowing) {
  return queryOptions({
    queryKey: ["deliveries", "neighbours", id, filters] as const,
    queryFn: ({ signal }) =>
      callApi<DeliveryNeighbours>(`${path}/${encodeURIComponent(id)}/neighbours`, {
        query: { ...filters },
        signal,
      }),
  });
}

/** One delivery with its attempts. */
export function deliveryOptions(id: string) {
  return queryOptions({
    queryKey: ["deliveries", "one", id] as const,
    queryFn: ({ signal }) => callApi<DeliveryDetail>(`${path}/${encodeURIComponent(id)}`, { signal }),
  });
}

/**
 * Puts one delivery back to waiting with a fresh set of attempts; `force`: also out of its order, `render_again`: a
 * postback by its endpoint's template as it is now.
 */
export const resendDeliveryOptions = mutationOptions({
  mutationFn: ({ id, ...body }: { id: string } & z.input<typeof deliveryResend>) =>
    callApi<Delivery>(`${path}/${encodeURIComponent(id)}/resend`, { method: "POST", body }),
  onSettled: (_data, _error, _given, _result, { client }) => client.invalidateQueries(),
});

/** The delivery with nothing masked; the reason goes into the audit log. Dropped as soon as the page lets go of it. */
export const revealDeliveryOptions = mutationOptions({
  mutationFn: ({ id, reason }: { id: string; reason: string }) =>
    callApi<DeliveryDetail>(`${path}/${encodeURIComponent(id)}/reveal`, { method: "POST", body: { reason } }),
  gcTime: 0,
});
