"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Inbox } from "lucide-react";
import { useQueryStates } from "nuqs";
import { useCallback } from "react";
import { FilterBar, FilterChip, FixedChip } from "#components/data-table/filter-bar.tsx";
import { ListView } from "#components/data-table/list-view.tsx";
import { type ActiveFilter, EmptyState } from "#components/data-table/states.tsx";
import { TextFilter } from "#components/data-table/text-filter.tsx";
import { useAffiliateOptions, useEventTypeOptions } from "#components/filters/option-sources.ts";
import { TimeChip, useSpanWords } from "#components/filters/time-chip.tsx";
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
  const time = useSpanWords(params);
  const filters = [
    { name: "Id", value: params.id },
    { name: "Type", value: params.type },
    { name: "Affiliate", value: params.affiliate },
    { name: "Time", value: time },
    { name: "Matches", value: params.q_hash && "a searched value" },
  ].filter((filter): filter is ActiveFilter => Boolean(filter.value));
  const set = (change: Partial<typeof params>) => void setParams({ ...change, cursor: null });
  const clear = () =>
    void setParams({
      id: null,
      type: null,
      affiliate: null,
      from: null,
      to: null,
      q_hash: null,
      cursor: null,
    });
  const searchId = useCallback(
    (id: string | null) => void setParams({ id, cursor: null }, { history: "replace" }),
    [setParams],
  );
  return (
    <>
      <FilterBar active={filters.length} onClear={clear}>
        <TextFilter label="Event id" placeholder="Event id, in full" value={params.id} onChange={searchId} />
        <FilterChip
          name="Type"
          value={params.type ? { value: params.type, label: params.type } : null}
          onChange={(type) => set({ type })}
          useOptions={useEventTypeOptions}
        />
        <FilterChip
          name="Affiliate"
          value={params.affiliate ? { value: params.affiliate, label: params.affiliate } : null}
          onChange={(affiliate) => set({ affiliate })}
          useOptions={useAffiliateOptions}
        />
        <TimeChip from={params.from} to={params.to} onChange={set} />
        {params.q_hash ? (
          <FixedChip name="Matches" value="a searched value" onRemove={() => set({ q_hash: null })} />
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
