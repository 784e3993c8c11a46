import { mutationOptions, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { callApi } from "#lib/api/fetcher.ts";
import type { Page } from "#lib/api/paging.ts";
import type { ApiKey, ApiKeyCreate, ApiKeyCreated, apiKeyListQuery } from "./schema.ts";

export type ApiKeyFilters = z.input<typeof apiKeyListQuery>;

const path = "/api/console/api-keys";

/** One page of keys, newest first. */
export function apiKeyListOptions(filters: ApiKeyFilters) {
  return queryOptions({
    queryKey: ["api-keys", "list", filters] as const,
    queryFn: ({ signal }) => callApi<Page<ApiKey>>(path, { query: { ...filters }, signal }),
  });
}

/** Answers the key itself, this once, so the answer is dropped as soon as the page lets go of it. */
export const createApiKeyOptions = mutationOptions({
  mutationFn: (apiKey: ApiKeyCreate) => callApi<ApiKeyCreated>(path, { method: "POST", body: apiKey }),
  gcTime: 0,
  onSuccess: (_data, _apiKey, _result, { client }) => client.invalidateQueries({ queryKey: ["api-keys"] }),
});

/** Ends a key at once. */
export const revokeApiKeyOptions = mutationOptions({
  mutationFn: (id: string) => callApi<void>(`${path}/${encodeURIComponent(id)}`, { method: "DELETE" }),
  onSettled: (_data, _error, _id, _result, { client }) =>
    client.invalidateQueries({ queryKey: ["api-keys"] }),
});
