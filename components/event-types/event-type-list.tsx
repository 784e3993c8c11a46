"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { BookText } from "lucide-react";
import { useQueryStates } from "nuqs";
import { useCallback } from "react";
import { listColumnHelper } from "#components/data-table/data-table.tsx";
import { FilterBar } from "#components/data-table/filter-bar.tsx";
import { ListView } from "#components/data-table/list-view.tsx";
import { RowLink } from "#components/data-table/row-link.tsx";
import { EmptyState } from "#components/data-table/states.tsx";
import { TextFilter } from "#components/data-table/text-filter.tsx";
import { MayLink } from "#components/layout/may-link.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { RelativeTime } from "#components/layout/time.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { eventTypeListOptions } from "#lib/event-types/client.ts";
import type { EventType } from "#lib/event-types/schema.ts";
import { formatNoun } from "#lib/format.ts";
import { DeprecatedPill } from "./field-marks.tsx";
import { eventTypeFilters, eventTypeParams } from "./list-params.ts";

const helper = listColumnHelper<EventType>();

const columns = [
  helper.display({
    id: "name",
    header: "Event type",
    meta: { phone: "lead", className: "sm:w-[32%] truncate", sorted: "ascending" },
    cell: ({ row: { original: type } }) => (
      <span className="inline-flex max-w-full items-center gap-0.5">
        <RowLink
          href={`/event-types/${encodeURIComponent(type.name)}`}
          title={type.name}
          className="truncate font-mono text-xs"
        >
          {type.name}
        </RowLink>
        <CopyButton text={type.name} what="event type" />
      </span>
    ),
  }),
  helper.display({
    id: "description",
    header: "What it says",
    meta: { phone: "second", className: "truncate" },
    cell: ({ row: { original: type } }) => (
      <span className="text-ink-2" title={type.description}>
        {type.description || "No description"}
      </span>
    ),
  }),
  helper.display({
    id: "fields",
    header: "Fields",
    meta: { phone: "second-end", className: "sm:w-24" },
    cell: ({ row: { original: type } }) => (
      <span className="text-ink-2">{formatNoun(type.fields.length, "field")}</span>
    ),
  }),
  helper.display({
    id: "status",
    header: "Status",
    meta: { phone: "lead-end", className: "sm:w-36" },
    cell: ({ row: { original: type } }) =>
      type.deprecated_at === null ? <span className="text-ink-3">In use</span> : <DeprecatedPill />,
  }),
  helper.display({
    id: "created",
    header: "Created",
    meta: { phone: "hidden", className: "sm:w-28 sm:max-md:hidden" },
    cell: ({ row: { original: type } }) => <RelativeTime iso={type.created_at} className="text-ink-2" />,
  }),
];

export function EventTypeList() {
  const [params, setParams] = useQueryStates(eventTypeParams, { history: "push" });
  const query = useQuery({
    ...eventTypeListOptions(eventTypeFilters(params)),
    refetchInterval: useLiveInterval(),
    placeholderData: keepPreviousData,
  });
  const filters = params.q ? [{ name: "Name or description", value: params.q }] : [];
  const search = useCallback(
    (q: string | null) => void setParams({ q, cursor: null }, { history: "replace" }),
    [setParams],
  );
  const clear = () => void setParams({ q: null, cursor: null });
  return (
    <>
      <FilterBar active={filters.length} onClear={clear}>
        <TextFilter
          label="Name or description"
          placeholder="Name or description"
          value={params.q}
          onChange={search}
        />
      </FilterBar>
      <ListView
        caption="Event types by name"
        noun="event types"
        query={query}
        columns={columns}
        rowKey={({ name }) => name}
        filters={filters}
        onClearFilters={clear}
        cursor={params.cursor}
        onCursor={(cursor) => void setParams({ cursor })}
        empty={<NoEventTypes />}
      />
    </>
  );
}

function NoEventTypes() {
  return (
    <EmptyState
      icon={BookText}
      title="No event types yet"
      action={
        <MayLink href="/event-types/new" verb="event_type.create">
          Add an event type
        </MayLink>
      }
    >
      <p>The catalogue names every kind of event that may be published, and the fields of its data.</p>
    </EmptyState>
  );
}
