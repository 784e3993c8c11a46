import { mutationOptions, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { callApi } from "#lib/api/fetcher.ts";
import type { Page } from "#lib/api/paging.ts";
import type {
  Requeue,
  RequeueDetail,
  RequeuePreview,
  requeueCreate,
  requeueListQuery,
  requeuePreview,
} from "#lib/requeues/schema.ts";

export type RequeueListFilters = z.input<typeof requeueListQuery>;

const path = "/api/console/requeues";

/** One page of requeues, newest first. */
export function requeueListOptions(filters: RequeueListFilters) {
  return queryOptions({
    queryKey: ["requeues", "list", filters] as const,
    queryFn: ({ signal }) => callApi<Page<Requeue>>(path, { query: { ...filters }, signal }),
  });
}

/** One requeue with a sample of what it left. */
export function requeueOptions(id: string) {
  return queryOptions({
    queryKey: ["requeues", "one", id] as const,
    queryFn: ({ signal }) => callApi<RequeueDetail>(`${path}/${encodeURIComponent(id)}`, { signal }),
  });
}

/** What it would do now. Never answered from what was read before. */
export function requeuePreviewOptions(input: z.input<typeof requeuePreview>) {
  return queryOptions({
    queryKey: ["requeues", "preview", input] as const,
    queryFn: ({ signal }) =>
      callApi<RequeuePreview>(`${path}/preview`, { method: "POST", body: input, signal }),
    staleTime: 0,
    gcTime: 0,
  });
}

/** Makes a requeue; a worker takes it up within a second. */
export const createRequeueOptions = mutationOptions({
  mutationFn: (body: z.input<typeof requeueCreate>) => callApi<RequeueDetail>(path, { method: "POST", body }),
  onSettled: (_data, _error, _given, _result, { client }) => client.invalidateQueries(),
});

/** Ends a requeue between two batches. */
export const cancelRequeueOptions = mutationOptions({
  mutationFn: (id: string) =>
    callApi<RequeueDetail>(`${path}/${encodeURIComponent(id)}/cancel`, { method: "POST", body: {} }),
  onSettled: (_data, _error, _given, _result, { client }) => client.invalidateQueries(),
});
