import { queryOptions } from "@tanstack/react-query";
import { callApi } from "#lib/api/fetcher.ts";
import type { Overview } from "#lib/stats/schema.ts";

/** The pipeline at a glance. */
export function overviewOptions() {
  return queryOptions({
    queryKey: ["overview"] as const,
    queryFn: ({ signal }) => callApi<Overview>("/api/console/overview", { signal }),
  });
}
