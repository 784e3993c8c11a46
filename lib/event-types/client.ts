import { mutationOptions, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { callApi } from "#lib/api/fetcher.ts";
import type { Page } from "#lib/api/paging.ts";
import type {
  EventType,
  EventTypeCreate,
  EventTypeDetail,
  EventTypeEdit,
  eventTypeListQuery,
} from "#lib/event-types/schema.ts";

export type EventTypeFilters = z.input<typeof eventTypeListQuery>;

const path = "/api/console/event-types";
const pathOf = (name: string) => `${path}/${encodeURIComponent(name)}`;
const mostPages = 10;

/** One page of the catalogue. */
export function eventTypeListOptions(filters: EventTypeFilters) {
  return queryOptions({
    queryKey: ["event-types", "list", filters] as const,
    queryFn: ({ signal }) => callApi<Page<EventType>>(path, { query: { ...filters }, signal }),
  });
}

/** One event type with example data. */
export function eventTypeOptions(name: string) {
  return queryOptions({
    queryKey: ["event-types", "one", name] as const,
    queryFn: ({ signal }) => callApi<EventTypeDetail>(pathOf(name), { signal }),
  });
}

/** The catalogue for choosing from: all of it, up to 1,000 types. */
export function allEventTypesOptions() {
  return queryOptions({
    queryKey: ["event-types", "all"] as const,
    queryFn: async ({ signal }) => {
      const types: EventType[] = [];
      let cursor: string | null = null;
      for (let pages = 0; pages < mostPages; pages += 1) {
        const page: Page<EventType> = await callApi(path, { query: { limit: 100, cursor }, signal });
        types.push(...page.data);
        cursor = page.next_cursor;
        if (cursor === null) break;
      }
      return types;
    },
  });
}

export const createEventTypeOptions = mutationOptions({
  mutationFn: (type: EventTypeCreate) => callApi<EventType>(path, { method: "POST", body: type }),
  onSuccess: (_data, _type, _result, { client }) => client.invalidateQueries({ queryKey: ["event-types"] }),
});

export const editEventTypeOptions = mutationOptions({
  mutationFn: ({ name, edit }: { name: string; edit: EventTypeEdit }) =>
    callApi<EventType>(pathOf(name), { method: "PATCH", body: edit }),
  onSuccess: (_data, _edit, _result, { client }) => client.invalidateQueries({ queryKey: ["event-types"] }),
});
