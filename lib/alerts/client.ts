import { queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type { Alert, alertListQuery } from "#lib/alerts/schema.ts";
import { callApi } from "#lib/api/fetcher.ts";
import type { Page } from "#lib/api/paging.ts";

export type AlertFilters = z.input<typeof alertListQuery>;

/** One page of alerts, the open ones first. */
export function alertListOptions(filters: AlertFilters) {
  return queryOptions({
    queryKey: ["alerts", "list", filters] as const,
    queryFn: ({ signal }) => callApi<Page<Alert>>("/api/console/alerts", { query: { ...filters }, signal }),
  });
}
