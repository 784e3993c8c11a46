import { queryOptions } from "@tanstack/react-query";
import { callApi } from "#lib/api/fetcher.ts";
import type { QueueStatus } from "#lib/queue-status/schema.ts";

/** How the queue moves, and its workers. */
export function queueStatusOptions() {
  return queryOptions({
    queryKey: ["queue"] as const,
    queryFn: ({ signal }) => callApi<QueueStatus>("/api/console/queue", { signal }),
  });
}
