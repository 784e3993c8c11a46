import { mutationOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import { callApi } from "#lib/api/fetcher.ts";
import type {
  EndpointSecret,
  EndpointSecretCreated,
  SecretRevealOnScreen,
} from "#lib/endpoint-secrets/schema.ts";

const pathOf = (endpointId: string) => `/api/console/endpoints/${encodeURIComponent(endpointId)}`;

/** The secrets that sign now, the newest first, without their values. */
export function secretListOptions(endpointId: string) {
  return queryOptions({
    queryKey: ["endpoints", "secrets", endpointId] as const,
    queryFn: ({ signal }) => callApi<{ data: EndpointSecret[] }>(`${pathOf(endpointId)}/secrets`, { signal }),
  });
}

/** A new secret makes the next delivery the breaker's probe, so more than the list is read again. */
function refreshAll(client: QueryClient) {
  return client.invalidateQueries();
}

/** The answer carries the secret, so it is dropped as soon as the page lets go of it. */
export const rotateSecretOptions = mutationOptions({
  mutationFn: ({ id, overlapHours }: { id: string; overlapHours: number }) =>
    callApi<EndpointSecretCreated>(`${pathOf(id)}/rotate-secret`, {
      method: "POST",
      body: { overlap_hours: overlapHours },
    }),
  gcTime: 0,
  onSettled: (_data, _error, _rotation, _result, { client }) => refreshAll(client),
});

/** Ends one that is not the current one at once. */
export const revokeSecretOptions = mutationOptions({
  mutationFn: ({ id, secretId }: { id: string; secretId: string }) =>
    callApi<void>(`${pathOf(id)}/secrets/${encodeURIComponent(secretId)}`, { method: "DELETE" }),
  onSettled: (_data, _error, _secret, _result, { client }) => refreshAll(client),
});

/** Shows the current secret, for a reason, which goes into the audit log, or for the reader's own password. */
export const revealSecretOptions = mutationOptions({
  mutationFn: ({ id, ...grounds }: { id: string } & SecretRevealOnScreen) =>
    callApi<{ secret: string }>(`${pathOf(id)}/reveal-secret`, { method: "POST", body: grounds }),
  gcTime: 0,
});
