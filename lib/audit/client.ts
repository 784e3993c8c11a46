import { queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { callApi, withQuery } from "#lib/api/fetcher.ts";
import type { Page } from "#lib/api/paging.ts";
import type { AuditEntry, auditListQuery } from "./schema.ts";

export type AuditListFilters = z.input<typeof auditListQuery>;

const path = "/api/console/audit";

/** One page of the audit log, latest first. */
export function auditListOptions(filters: AuditListFilters) {
  return queryOptions({
    queryKey: ["audit", "list", filters] as const,
    queryFn: ({ signal }) => callApi<Page<AuditEntry>>(path, { query: { ...filters }, signal }),
  });
}

/** Where the newest entries for the filters are to be had as CSV, whatever page of the list is shown. */
export function auditExportHref({ cursor: _, limit: __, ...filters }: AuditListFilters): string {
  return withQuery(`${path}.csv`, filters as Record<string, string>);
}
