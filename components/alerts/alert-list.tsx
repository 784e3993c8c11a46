"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { BellRing } from "lucide-react";
import { createSerializer, useQueryStates } from "nuqs";
import { FilterBar, FilterChip } from "#components/data-table/filter-bar.tsx";
import { ListView } from "#components/data-table/list-view.tsx";
import { type ActiveFilter, EmptyState } from "#components/data-table/states.tsx";
import { useAffiliateOptions, useEndpointOptions } from "#components/filters/option-sources.ts";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { LinkTabs } from "#components/ui/link-tabs.tsx";
import { fixedOptions } from "#components/ui/option-picker.tsx";
import { alertListOptions } from "#lib/alerts/client.ts";
import { endpointOptions } from "#lib/endpoints/client.ts";
import { truncateMiddle } from "#lib/format.ts";
import { findingKindLabels, findingKinds } from "#lib/vocabulary.ts";
import { alertColumns } from "./columns.tsx";
import { type AlertView, alertFilters, alertParams, alertViews } from "./list-params.ts";

const viewLabels = { all: "All", open: "Open", ended: "Ended" } satisfies Record<AlertView, string>;
const serialize = createSerializer(alertParams);
const useKindOptions = fixedOptions(
  findingKinds.map((value) => ({ value, label: findingKindLabels[value] })),
);

/** Every finding that appeared, the open ones first. */
export function AlertList() {
  const [params, setParams] = useQueryStates(alertParams, { history: "push" });
  const query = useQuery({
    ...alertListOptions(alertFilters(params)),
    refetchInterval: useLiveInterval(),
    placeholderData: keepPreviousData,
  });
  const { view, kind, endpoint, affiliate } = params;
  const { data: named } = useQuery({ ...endpointOptions(endpoint ?? ""), enabled: endpoint !== null });
  const endpointName = named?.name ?? truncateMiddle(endpoint ?? "", 13);
  const filters = [
    { name: "State", value: view === "all" ? null : viewLabels[view] },
    { name: "Finding", value: kind && findingKindLabels[kind] },
    { name: "Endpoint", value: endpoint && endpointName },
    { name: "Affiliate", value: affiliate },
  ].filter((filter): filter is ActiveFilter => Boolean(filter.value));
  const set = (change: Partial<typeof params>) => void setParams({ ...change, cursor: null });
  const clear = () =>
    void setParams({ view: null, kind: null, endpoint: null, affiliate: null, cursor: null });
  return (
    <>
      <LinkTabs
        label="Views"
        tabs={alertViews.map((name) => ({
          href: `/alerts${serialize({ ...params, view: name, cursor: null })}`,
          label: viewLabels[name],
          current: view === name,
          onSelect: () => set({ view: name }),
        }))}
      />
      <FilterBar active={filters.length} onClear={clear}>
        <FilterChip
          name="Finding"
          value={kind && { value: kind, label: findingKindLabels[kind] }}
          onChange={(value) => set({ kind: value as typeof kind })}
          useOptions={useKindOptions}
        />
        <FilterChip
          name="Endpoint"
          value={endpoint ? { value: endpoint, label: endpointName } : null}
          onChange={(value) => set({ endpoint: value })}
          useOptions={useEndpointOptions}
        />
        <FilterChip
          name="Affiliate"
          value={affiliate ? { value: affiliate, label: affiliate } : null}
          onChange={(value) => set({ affiliate: value })}
          useOptions={useAffiliateOptions}
        />
      </FilterBar>
      <ListView
        caption="Alerts, the open ones first, then the newest"
        noun="alerts"
        query={query}
        columns={alertColumns}
        rowKey={({ id }) => id}
        filters={filters}
        onClearFilters={clear}
        cursor={params.cursor}
        onCursor={(cursor) => void setParams({ cursor })}
        empty={
          <EmptyState icon={BellRing} title="No alerts yet">
            <p>
              Workers look every 30 s at what dead letters have in common. Each finding, such as changed
              credentials or an outage, will be here from when it appears until it ends.
            </p>
          </EmptyState>
        }
      />
    </>
  );
}
