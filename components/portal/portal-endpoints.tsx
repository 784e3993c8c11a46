"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Webhook } from "lucide-react";
import { useQueryStates } from "nuqs";
import { listColumnHelper } from "#components/data-table/data-table.tsx";
import { ListView } from "#components/data-table/list-view.tsx";
import { EmptyState } from "#components/data-table/states.tsx";
import { EndpointStatusPill } from "#components/endpoints/status-pill.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { RelativeTime } from "#components/layout/time.tsx";
import { endpointListOptions } from "#lib/endpoints/client.ts";
import type { Endpoint } from "#lib/endpoints/schema.ts";
import { portalFilters, portalParams } from "./list-params.ts";

const helper = listColumnHelper<Endpoint>();

const columns = [
  helper.display({
    id: "name",
    header: "Endpoint",
    meta: { phone: "lead", className: "truncate" },
    cell: ({ row: { original: endpoint } }) => endpoint.name,
  }),
  helper.display({
    id: "status",
    header: "Status",
    meta: { phone: "lead-end", className: "sm:w-[20%]" },
    cell: ({ row: { original: endpoint } }) => <EndpointStatusPill endpoint={endpoint} />,
  }),
  helper.display({
    id: "url",
    header: "URL",
    meta: { phone: "second", className: "sm:w-[40%] truncate" },
    cell: ({ row: { original: endpoint } }) => (
      <span className="font-mono text-ink-2 text-xs" title={endpoint.url}>
        {endpoint.url}
      </span>
    ),
  }),
  helper.display({
    id: "last_success",
    header: "Last success",
    meta: { phone: "second-end", className: "sm:w-32" },
    cell: ({ row: { original: endpoint } }) => (
      <span className="text-ink-2">
        {endpoint.health.last_success_at ? <RelativeTime iso={endpoint.health.last_success_at} /> : "Never"}
      </span>
    ),
  }),
];

/** An affiliate's own endpoints and how each of them does. */
export function PortalEndpoints() {
  const [{ cursor }, setParams] = useQueryStates(portalParams, { history: "push" });
  const query = useQuery({
    ...endpointListOptions(portalFilters(cursor)),
    refetchInterval: useLiveInterval(),
    placeholderData: keepPreviousData,
  });
  return (
    <ListView
      caption="Your endpoints, newest first"
      noun="endpoints"
      query={query}
      columns={columns}
      rowKey={({ id }) => id}
      rowKeys={false}
      cursor={cursor}
      onCursor={(next) => void setParams({ cursor: next })}
      empty={
        <EmptyState icon={Webhook} title="No endpoints yet">
          <p>
            An endpoint is a URL of yours where your events are sent. Ask Posthorn's operators to set one up.
          </p>
        </EmptyState>
      }
    />
  );
}
