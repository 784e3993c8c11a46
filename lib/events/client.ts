import { mutationOptions, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { callApi } from "#lib/api/fetcher.ts";
import type { Page } from "#lib/api/paging.ts";
import type { Event, EventDetail, eventListQuery } from "#lib/events/schema.ts";

export type EventFilters = z.input<typeof eventListQuery>;

const path = "/api/console/events";

/** One page of events, newest first. */
export function eventListOptions(filters: EventFilters) {
  return queryOptions({
    queryKey: ["events", "list", filters] as const,
    queryFn: ({ signal }) => callApi<Page<Event>>(path, { query: { ...filters }, signal }),
  });
}

/** One event with its data and every endpoint that did or did not get it. */
export function eventOptions(id: string) {
  return queryOptions({
    queryKey: ["events", "one", id] as const,
    queryFn: ({ signal }) => callApi<EventDetail>(`${path}/${encodeURIComponent(id)}`, { signal }),
  });
}

/** The event with nothing masked; the reason goes into the audit log. Dropped as soon as the page lets go of it. */
export const revealEventOptions = mutationOptions({
  mutationFn: ({ id, reason }: { id: string; reason: string }) =>
    callApi<EventDetail>(`${path}/${encodeURIComponent(id)}/reveal`, { method: "POST", body: { reason } }),
  gcTime: 0,
});
