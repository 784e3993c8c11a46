"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Send } from "lucide-react";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { FilterBar, FilterChip, FixedChip } from "#components/data-table/filter-bar.tsx";
import { ListView } from "#components/data-table/list-view.tsx";
import { type ActiveFilter, EmptyState } from "#components/data-table/states.tsx";
import {
  useAffiliateOptions,
  useEndpointOptions,
  useStateOptions,
} from "#components/filters/option-sources.ts";
import { MayLink } from "#components/layout/may-link.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { withQuery } from "#lib/api/fetcher.ts";
import { deliveryListOptions } from "#lib/deliveries/client.ts";
import { endpointOptions } from "#lib/endpoints/client.ts";
import { truncateMiddle } from "#lib/format.ts";
import { deliveryStateLabels } from "#lib/vocabulary.ts";
import { deliveryColumns } from "./columns.tsx";
import { deliveryFilters, deliveryParams } from "./list-params.ts";

const noFilters = { state: null, endpoint: null, affiliate: null, event: null, q_hash: null, cursor: null };

export function DeliveryList() {
  const [params, setParams] = useQueryStates(deliveryParams, { history: "push" });
  const query = useQuery({
    ...deliveryListOptions(deliveryFilters(params)),
    refetchInterval: useLiveInterval(),
    placeholderData: keepPreviousData,
  });
  const endpointName = useEndpointName(params.endpoint);
  const filters = [
    { name: "State", value: params.state && deliveryStateLabels[params.state] },
    { name: "Endpoint", value: params.endpoint && endpointName },
    { name: "Affiliate", value: params.affiliate },
    { name: "Event", value: params.event && truncateMiddle(params.event, 24) },
    { name: "Matches", value: params.q_hash && "a searched value" },
  ].filter((filter): filter is ActiveFilter => Boolean(filter.value));
  const set = (change: Partial<typeof params>) => void setParams({ ...change, cursor: null });
  const clear = () => void setParams(noFilters);

  return (
    <>
      <FilterBar active={filters.length} onClear={clear}>
        <FilterChip
          name="State"
          value={params.state && { value: params.state, label: deliveryStateLabels[params.state] }}
          onChange={(state) => set({ state: state as typeof params.state })}
          useOptions={useStateOptions}
        />
        <FilterChip
          name="Endpoint"
          value={params.endpoint ? { value: params.endpoint, label: endpointName } : null}
          onChange={(endpoint) => set({ endpoint })}
          useOptions={useEndpointOptions}
        />
        <FilterChip
          name="Affiliate"
          value={params.affiliate ? { value: params.affiliate, label: params.affiliate } : null}
          onChange={(affiliate) => set({ affiliate })}
          useOptions={useAffiliateOptions}
        />
        {params.event ? (
          <FixedChip
            name="Event"
            value={truncateMiddle(params.event, 24)}
            onRemove={() => set({ event: null })}
          />
        ) : null}
        {params.q_hash ? (
          <>
            <FixedChip name="Matches" value="a searched value" onRemove={() => set({ q_hash: null })} />
            <Link
              href={withQuery("/events", { q_hash: params.q_hash })}
              className="text-ink-2 text-xs underline underline-offset-2"
            >
              Its events
            </Link>
          </>
        ) : null}
      </FilterBar>
      <ListView
        caption="Deliveries, newest first"
        noun="deliveries"
        query={query}
        columns={deliveryColumns}
        rowKey={({ id }) => id}
        filters={filters}
        onClearFilters={clear}
        cursor={params.cursor}
        onCursor={(cursor) => void setParams({ cursor })}
        empty={<NoDeliveriesYet />}
      />
    </>
  );
}

/** The filter holds an id; people know the name. */
function useEndpointName(id: string | null): string {
  const { data } = useQuery({ ...endpointOptions(id ?? ""), enabled: id !== null });
  return data?.name ?? truncateMiddle(id ?? "", 13);
}

function NoDeliveriesYet() {
  return (
    <EmptyState
      icon={Send}
      title="No deliveries yet"
      action={
        <MayLink href="/endpoints/new" verb="endpoint.create">
          Create an endpoint
        </MayLink>
      }
    >
      <p>
        A delivery is one event on its way to one endpoint. Create an endpoint, then publish an event for its
        affiliate: every attempt, its answer and what happens next will be here.
      </p>
    </EmptyState>
  );
}
