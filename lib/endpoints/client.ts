import { mutationOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { callApi } from "#lib/api/fetcher.ts";
import type { Page } from "#lib/api/paging.ts";
import type {
  Endpoint,
  EndpointCreate,
  EndpointCreated,
  EndpointDetail,
  EndpointEdit,
  EndpointEdited,
  endpointListQuery,
} from "#lib/endpoints/schema.ts";

/** What a list page asks for; `failing` travels as the text that the route parses. */
export type EndpointFilters = z.input<typeof endpointListQuery>;

const path = "/api/console/endpoints";
const pathOf = (id: string) => `${path}/${encodeURIComponent(id)}`;

/** One page of endpoints, newest first. */
export function endpointListOptions(filters: EndpointFilters) {
  return queryOptions({
    queryKey: ["endpoints", "list", filters] as const,
    queryFn: ({ signal }) => callApi<Page<Endpoint>>(path, { query: { ...filters }, signal }),
  });
}

/** One endpoint with its backlog. */
export function endpointOptions(id: string) {
  return queryOptions({
    queryKey: ["endpoints", "one", id] as const,
    queryFn: ({ signal }) => callApi<EndpointDetail>(pathOf(id), { signal }),
  });
}

/** An endpoint's configuration decides what its deliveries and the overview show, so all of it is read again. */
function refreshAll(client: QueryClient) {
  return client.invalidateQueries();
}

/** The answer carries the secret, so it is dropped as soon as the page lets go of it. */
export const createEndpointOptions = mutationOptions({
  mutationFn: (endpoint: EndpointCreate) =>
    callApi<EndpointCreated>(path, { method: "POST", body: endpoint }),
  gcTime: 0,
  onSuccess: (_data, _endpoint, _result, { client }) => refreshAll(client),
});

export const editEndpointOptions = mutationOptions({
  mutationFn: ({ id, edit }: { id: string; edit: EndpointEdit }) =>
    callApi<EndpointEdited>(pathOf(id), { method: "PATCH", body: edit }),
  onSuccess: (_data, _edit, _result, { client }) => refreshAll(client),
});

export const deleteEndpointOptions = mutationOptions({
  mutationFn: (id: string) => callApi<void>(pathOf(id), { method: "DELETE" }),
  onSuccess: (_data, id, _result, { client }) => {
    client.removeQueries({ queryKey: endpointOptions(id).queryKey });
    return refreshAll(client);
  },
});

export const pauseEndpointOptions = mutationOptions({
  mutationFn: (id: string) => callApi<Endpoint>(`${pathOf(id)}/pause`, { method: "POST" }),
  onSettled: (_data, _error, _id, _result, { client }) => refreshAll(client),
});

export const resumeEndpointOptions = mutationOptions({
  mutationFn: (id: string) => callApi<Endpoint>(`${pathOf(id)}/resume`, { method: "POST" }),
  onSettled: (_data, _error, _id, _result, { client }) => refreshAll(client),
});

/** So many calls, each for 100 deliveries, before somebody has to ask again. */
const mostRenderCalls = 1_000;

/** Of what waits: how many were rendered again, how many keep the request they have, and whether more may wait. */
export type WaitingRendered = { rendered: number; kept: number; isComplete: boolean };

/** Renders again everything that waits for a postback, by its template as it is now. */
export const renderWaitingOptions = mutationOptions({
  mutationFn: async (id: string): Promise<WaitingRendered> => {
    const sum = { rendered: 0, kept: 0 };
    let after: string | null = null;
    for (let calls = 0; calls < mostRenderCalls; calls += 1) {
      const part: { rendered: number; kept: number; next: string | null } = await callApi(
        `${pathOf(id)}/render-waiting`,
        { method: "POST", body: after === null ? {} : { after } },
      );
      sum.rendered += part.rendered;
      sum.kept += part.kept;
      after = part.next;
      if (after === null) return { ...sum, isComplete: true };
    }
    return { ...sum, isComplete: false };
  },
  onSettled: (_data, _error, _id, _result, { client }) => refreshAll(client),
});
