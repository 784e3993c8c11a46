"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Inbox } from "lucide-react";
import { useQueryStates } from "nuqs";
import { FilterBar, FilterChip, FixedChip } from "#components/data-table/filter-bar.tsx";
import { ListView } from "#components/data-table/list-view.tsx";
import { EmptyState } from "#components/data-table/states.tsx";
import { useAffiliateOptions } from "#components/filters/option-sources.ts";
import { useOrigin } from "#components/layout/origin.ts";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { eventListOptions } from "#lib/events/client.ts";
import { eventColumns } from "./columns.tsx";
import { eventFilters, eventParams } from "./list-params.ts";

export function EventList() {
  const [params, setParams] = useQueryStates(eventParams, { history: "push" });
  const query = useQuery({
    ...eventListOptions(eventFilters(params)),
    refetchInterval: useLiveInterval(),
    placeholderData: keepPreviousData,
  });
  const filters = [
    ...(params.affiliate ? [{ name: "Affiliate", value: params.affiliate }] : []),
    ...(params.q_hash ? [{ name: "Matches", value: "a searched value" }] : []),
  ];
  const clear = () => void setParams({ affiliate: null, q_hash: null, cursor: null });
  return (
    <>
      <FilterBar active={filters.length} onClear={clear}>
        <FilterChip
          name="Affiliate"
          value={params.affiliate ? { value: params.affiliate, label: params.affiliate } : null}
          onChange={(affiliate) => void setParams({ affiliate, cursor: null })}
          useOptions={useAffiliateOptions}
        />
        {params.q_hash ? (
          <FixedChip
            name="Matches"
            value="a searched value"
            onRemove={() => void setParams({ q_hash: null, cursor: null })}
          />
        ) : null}
      </FilterBar>
      <ListView
        caption="Events, newest first"
        noun="events"
        query={query}
        columns={eventColumns}
        rowKey={({ id }) => id}
        filters={filters}
        onClearFilters={clear}
        cursor={params.cursor}
        onCursor={(cursor) => void setParams({ cursor })}
        empty={<NoEvents />}
      />
    </>
  );
}

const example = (origin: string) => `curl ${origin}/api/v1/events \\
  -H "Authorization: Bearer $POSTHORN_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"type":"conversion.approved","affiliate":"acme","data":{"click_id":"abc"}}'`;

function NoEvents() {
  return (
    <EmptyState icon={Inbox} title="No events yet">
      <p>
        An event is a fact that your system publishes for an affiliate. Publish the first one with your API
        key:
      </p>
      <div className="text-left">
        <CodeBlock text={example(useOrigin())} what="example request" />
      </div>
      <p>The key was printed at the first start. The affiliate and the event type must exist.</p>
    </EmptyState>
  );
}
