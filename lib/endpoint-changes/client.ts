import { mutationOptions, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { callApi } from "#lib/api/fetcher.ts";
import type { Page } from "#lib/api/paging.ts";
import type { changeListQuery, QueuedChange } from "./schema.ts";

export type ChangeFilters = z.input<typeof changeListQuery>;

const path = "/api/console/approvals";

/** One page of changes for the operators to decide. */
export function changeListOptions(filters: ChangeFilters) {
  return queryOptions({
    queryKey: ["approvals", "list", filters] as const,
    queryFn: ({ signal }) => callApi<Page<QueuedChange>>(path, { query: { ...filters }, signal }),
  });
}

export const approveChangeOptions = mutationOptions({
  mutationFn: (id: string) => callApi<void>(`${path}/${id}/approve`, { method: "POST" }),
  onSettled: (_data, _error, _id, _result, { client }) => client.invalidateQueries(),
});

export const refuseChangeOptions = mutationOptions({
  mutationFn: ({ id, reason }: { id: string; reason: string }) =>
    callApi<void>(`${path}/${id}/refuse`, { method: "POST", body: { reason } }),
  onSettled: (_data, _error, _given, _result, { client }) => client.invalidateQueries(),
});

/** Takes back what waits for this endpoint. */
export const withdrawChangeOptions = mutationOptions({
  mutationFn: (endpointId: string) =>
    callApi<void>(`/api/console/endpoints/${encodeURIComponent(endpointId)}/change`, { method: "DELETE" }),
  onSettled: (_data, _error, _id, _result, { client }) => client.invalidateQueries(),
});
