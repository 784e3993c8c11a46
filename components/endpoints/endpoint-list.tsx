"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { CircleCheck, Webhook } from "lucide-react";
import { createSerializer, useQueryStates } from "nuqs";
import { useCallback } from "react";
import { FilterBar, FilterChip } from "#components/data-table/filter-bar.tsx";
import { ListView } from "#components/data-table/list-view.tsx";
import { type ActiveFilter, EmptyState } from "#components/data-table/states.tsx";
import { TextFilter } from "#components/data-table/text-filter.tsx";
import { useAffiliateOptions } from "#components/filters/option-sources.ts";
import { MayLink } from "#components/layout/may-link.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { LinkTabs } from "#components/ui/link-tabs.tsx";
import { endpointListOptions } from "#lib/endpoints/client.ts";
import { type EndpointView, endpointViews } from "#lib/endpoints/views.ts";
import { endpointColumns } from "./columns.tsx";
import { endpointFilters, endpointParams } from "./list-params.ts";

const viewLabels = {
  failing: "Failing",
  slow: "Slow",
  breaker_open: "Breaker open",
  paused: "Paused",
  disabled: "Disabled",
  all: "All",
} satisfies Record<EndpointView, string>;
const serialize = createSerializer(endpointParams);

export function EndpointList() {
  const [params, setParams] = useQueryStates(endpointParams, { history: "push" });
  const query = useQuery({
    ...endpointListOptions(endpointFilters(params)),
    refetchInterval: useLiveInterval(),
    placeholderData: keepPreviousData,
  });
  const filters = [
    { name: "Name or URL", value: params.q },
    { name: "Affiliate", value: params.affiliate },
  ].filter((filter): filter is ActiveFilter => Boolean(filter.value));
  const view = { name: "View", value: viewLabels[params.view] };
  const clear = () => void setParams({ q: null, affiliate: null, cursor: null });
  const search = useCallback(
    (q: string | null) => void setParams({ q, cursor: null }, { history: "replace" }),
    [setParams],
  );

  return (
    <>
      <LinkTabs
        label="Views"
        tabs={endpointViews.map((view) => ({
          href: `/endpoints${serialize({ ...params, view, cursor: null })}`,
          label: viewLabels[view],
          current: params.view === view,
          onSelect: () => void setParams({ view, cursor: null }),
        }))}
      />
      <FilterBar active={filters.length} onClear={clear}>
        <TextFilter label="Name or URL" placeholder="Name or URL" value={params.q} onChange={search} />
        <FilterChip
          name="Affiliate"
          value={params.affiliate ? { value: params.affiliate, label: params.affiliate } : null}
          onChange={(affiliate) => void setParams({ affiliate, cursor: null })}
          useOptions={useAffiliateOptions}
        />
      </FilterBar>
      <ListView
        key={params.view}
        caption={`Endpoints, ${viewLabels[params.view].toLowerCase()}, the ${params.view === "slow" ? "slowest" : "worst"} first`}
        noun="endpoints"
        query={query}
        columns={endpointColumns}
        rowKey={({ id }) => id}
        filters={filters.length > 0 && params.view !== "all" ? [view, ...filters] : filters}
        onClearFilters={clear}
        cursor={params.cursor}
        onCursor={(cursor) => void setParams({ cursor })}
        empty={<NoEndpoints view={params.view} />}
      />
    </>
  );
}

const nothingHere = {
  failing: {
    title: "No endpoint is failing",
    text: "The latest attempt to every active endpoint succeeded, or none was made yet.",
  },
  slow: {
    title: "No endpoint is slow",
    text: "None has a P95 over 2 s in the last 24 hours, and none has become much slower than it was in the last 7 days. That is judged from 20 attempts on.",
  },
  breaker_open: {
    title: "No breaker is open",
    text: "A breaker opens after 10 failures in a row, or when half of the attempts of 5 minutes fail; it then probes with single requests.",
  },
  paused: {
    title: "No endpoint is paused",
    text: "Somebody can pause an endpoint on its page; its events are then held until it is resumed.",
  },
  disabled: {
    title: "No endpoint is disabled",
    text: "Posthorn disables an endpoint that says it is gone for good; its events are then held until it is resumed.",
  },
};

function NoEndpoints({ view }: { view: EndpointView }) {
  if (view !== "all") {
    return (
      <EmptyState
        icon={CircleCheck}
        title={nothingHere[view].title}
        action={<ButtonLink href="/endpoints?view=all">Show all endpoints</ButtonLink>}
      >
        <p>{nothingHere[view].text}</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={Webhook}
      title="No endpoints yet"
      action={
        <MayLink href="/endpoints/new" verb="endpoint.create">
          Create an endpoint
        </MayLink>
      }
    >
      <p>
        An endpoint is a URL where an affiliate wants its events. Posthorn signs every request, retries what
        fails for the moment, and keeps what it could not deliver.
      </p>
    </EmptyState>
  );
}
