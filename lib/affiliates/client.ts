import { mutationOptions, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type {
  Affiliate,
  AffiliateCreate,
  AffiliateEdit,
  affiliateListQuery,
} from "#lib/affiliates/schema.ts";
import { callApi } from "#lib/api/fetcher.ts";
import type { Page } from "#lib/api/paging.ts";

export type AffiliateFilters = z.input<typeof affiliateListQuery>;

const path = "/api/console/affiliates";
const pathOf = (key: string) => `${path}/${encodeURIComponent(key)}`;

/** One page of affiliates, newest first. */
export function affiliateListOptions(filters: AffiliateFilters) {
  return queryOptions({
    queryKey: ["affiliates", "list", filters] as const,
    queryFn: ({ signal }) => callApi<Page<Affiliate>>(path, { query: { ...filters }, signal }),
  });
}

/** One affiliate, by the operator's key. */
export function affiliateOptions(key: string) {
  return queryOptions({
    queryKey: ["affiliates", "one", key] as const,
    queryFn: ({ signal }) => callApi<Affiliate>(pathOf(key), { signal }),
  });
}

export const createAffiliateOptions = mutationOptions({
  mutationFn: (affiliate: AffiliateCreate) => callApi<Affiliate>(path, { method: "POST", body: affiliate }),
  onSuccess: (_data, _affiliate, _result, { client }) =>
    client.invalidateQueries({ queryKey: ["affiliates"] }),
});

/** Its name stands on the pages of its endpoints, deliveries and events too. */
export const editAffiliateOptions = mutationOptions({
  mutationFn: ({ key, edit }: { key: string; edit: AffiliateEdit }) =>
    callApi<Affiliate>(pathOf(key), { method: "PATCH", body: edit }),
  onSuccess: (_data, _edit, _result, { client }) => client.invalidateQueries(),
});
