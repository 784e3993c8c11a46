import { queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { callApi, withQuery } from "#lib/api/fetcher.ts";
import type { Page } from "#lib/api/paging.ts";
import type {
  DeadLetterFindings,
  DeadLetterGroups,
  deadLetterFilters,
  deadLetterFindingsQuery,
  deadLetterListQuery,
} from "#lib/dead-letters/schema.ts";
import type { Delivery } from "#lib/deliveries/schema.ts";

/** What the address holds; `reason` is a list separated by commas. */
export type DeadLetterListFilters = z.input<typeof deadLetterListQuery>;
type Filters = z.input<typeof deadLetterFilters>;

const path = "/api/console/dead-letters";

/** One page of dead letters, given up latest first. */
export function deadLetterListOptions(filters: DeadLetterListFilters) {
  return queryOptions({
    queryKey: ["dead-letters", "list", filters] as const,
    queryFn: ({ signal }) => callApi<Page<Delivery>>(path, { query: { ...filters }, signal }),
  });
}

/** The largest groups by endpoint and answer. */
export function deadLetterGroupsOptions(filters: Filters) {
  return queryOptions({
    queryKey: ["dead-letters", "groups", filters] as const,
    queryFn: ({ signal }) => callApi<DeadLetterGroups>(`${path}/groups`, { query: { ...filters }, signal }),
  });
}

/** What dead letters show, as a worker last found it. */
export function deadLetterFindingsOptions(filters: z.input<typeof deadLetterFindingsQuery>) {
  return queryOptions({
    queryKey: ["dead-letters", "findings", filters] as const,
    queryFn: ({ signal }) =>
      callApi<DeadLetterFindings>(`${path}/findings`, { query: { ...filters }, signal }),
  });
}

/** Where the newest dead letters for the filters are to be had as CSV. */
export function deadLetterExportHref({ cursor: _, limit: __, ...filters }: DeadLetterListFilters): string {
  return withQuery(`${path}.csv`, filters as Record<string, string>);
}
