import { queryOptions } from "@tanstack/react-query";
import { callApi } from "#lib/api/fetcher.ts";
import type { History, HistoryQuery, Overview } from "#lib/stats/schema.ts";

/** The pipeline at a glance. */
export function overviewOptions() {
  return queryOptions({
    queryKey: ["overview"] as const,
    queryFn: ({ signal }) => callApi<Overview>("/api/console/overview", { signal }),
  });
}

/** What a chart shows: one endpoint, one affiliate by its key, or everything. */
export type HistoryScope = { endpointId?: string; affiliate?: string };
/** When: a range that ends now, or chosen times. */
export type HistoryTimes = Pick<HistoryQuery, "range" | "from" | "to">;

/** Percentiles and outcomes over time. */
export function historyOptions({ endpointId, affiliate }: HistoryScope, times: HistoryTimes) {
  const query = { ...times, endpoint: endpointId, affiliate };
  return queryOptions({
    queryKey: ["stats", "history", query] as const,
    queryFn: ({ signal }) => callApi<History>("/api/console/stats/history", { query, signal }),
  });
}
