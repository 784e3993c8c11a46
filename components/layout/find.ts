import { callApi, withQuery } from "#lib/api/fetcher.ts";
import type { Found } from "#lib/stats/schema.ts";

export type Hit = Found["data"][number];

/** Where each kind of finding leads, and how it is called. */
export const hitWords = {
  delivery: { path: (id) => `/deliveries/${id}`, label: "The delivery with this id" },
  event: { path: (id) => `/events/${encodeURIComponent(id)}`, label: "The event with this id" },
  endpoint: { path: (id) => `/endpoints/${id}`, label: "The endpoint with this id" },
  deliveries_by_value: {
    path: (id) => withQuery("/deliveries", { q_hash: id }),
    label: "Deliveries of events with this value",
  },
  events_by_value: { path: (id) => withQuery("/events", { q_hash: id }), label: "Events with this value" },
} satisfies Record<Hit["kind"], { path: (id: string) => string; label: string }>;

export const hitPath = ({ kind, id }: Hit) => hitWords[kind].path(id);

/** What has this id or searchable value. It may be a click id, so it travels in a body. */
export function find(q: string, signal?: AbortSignal): Promise<Found> {
  return callApi<Found>("/api/console/find", { method: "POST", body: { q }, ...(signal && { signal }) });
}
