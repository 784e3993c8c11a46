"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Webhook } from "lucide-react";
import { useQueryStates } from "nuqs";
import { useCallback } from "react";
import { FilterBar } from "#components/data-table/filter-bar.tsx";
import { ListView } from "#components/data-table/list-view.tsx";
import { EmptyState } from "#components/data-table/states.tsx";
import { TextFilter } from "#components/data-table/text-filter.tsx";
import { affiliateEndpointColumns } from "#components/endpoints/columns.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { endpointListOptions } from "#lib/endpoints/client.ts";
import { portalEndpointFilters, portalEndpointParams } from "./list-params.ts";

/** An affiliate's own endpoints and how each of them does. */
export function PortalEndpoints() {
  const [params, setParams] = useQueryStates(portalEndpointParams, { history: "push" });
  const query = useQuery({
    ...endpointListOptions(portalEndpointFilters(params)),
    refetchInterval: useLiveInterval(),
    placeholderData: keepPreviousData,
  });
  const clear = () => void setParams({ q: null, cursor: null });
  const search = useCallback(
    (q: string | null) => void setParams({ q, cursor: null }, { history: "replace" }),
    [setParams],
  );
  const filters = params.q ? [{ name: "Name or URL", value: params.q }] : [];
  return (
    <>
      <FilterBar active={filters.length} onClear={clear}>
        <TextFilter label="Name or URL" placeholder="Name or URL" value={params.q} onChange={search} />
      </FilterBar>
      <ListView
        caption="Your endpoints, what needs you first"
        noun="endpoints"
        query={query}
        columns={affiliateEndpointColumns}
        rowKey={({ id }) => id}
        filters={filters}
        onClearFilters={clear}
        cursor={params.cursor}
        onCursor={(cursor) => void setParams({ cursor })}
        empty={
          <EmptyState
            icon={Webhook}
            title="No endpoints yet"
            action={
              <ButtonLink href="/portal/endpoints/new" tone="primary">
                Create your first endpoint
              </ButtonLink>
            }
          >
            <p>
              An endpoint is a URL of yours where your events are sent: your tracker's postback URL, or a
              server that takes webhooks.
            </p>
          </EmptyState>
        }
      />
    </>
  );
}
