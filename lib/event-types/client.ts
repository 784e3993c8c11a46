import { queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { callApi } from "#lib/api/fetcher.ts";
import type { Page } from "#lib/api/paging.ts";
import type { EventType, eventTypeListQuery } from "#lib/event-types/schema.ts";

export type EventTypeFilters = z.input<typeof eventTypeListQuery>;

const path = "/api/console/event-types";
const mostPages = 10;

/** One page of the catalogue. */
export function eventTypeListOptions(filters: EventTypeFilters) {
  return queryOptions({
    queryKey: ["event-types", "list", filters] as const,
    queryFn: ({ signal }) => callApi<Page<EventType>>(path, { query: { ...filters }, signal }),
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
