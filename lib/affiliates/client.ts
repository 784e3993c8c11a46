import { mutationOptions, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type { Affiliate, AffiliateCreate, affiliateListQuery } from "#lib/affiliates/schema.ts";
import { callApi } from "#lib/api/fetcher.ts";
import type { Page } from "#lib/api/paging.ts";

export type AffiliateFilters = z.input<typeof affiliateListQuery>;

const path = "/api/console/affiliates";

/** One page of affiliates, newest first. */
export function affiliateListOptions(filters: AffiliateFilters) {
  return queryOptions({
    queryKey: ["affiliates", "list", filters] as const,
    queryFn: ({ signal }) => callApi<Page<Affiliate>>(path, { query: { ...filters }, signal }),
  });
}

export const createAffiliateOptions = mutationOptions({
  mutationFn: (affiliate: AffiliateCreate) => callApi<Affiliate>(path, { method: "POST", body: affiliate }),
  onSuccess: (_data, _affiliate, _result, { client }) =>
    client.invalidateQueries({ queryKey: ["affiliates"] }),
});
