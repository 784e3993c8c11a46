"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { BookText } from "lucide-react";
import { useQueryStates } from "nuqs";
import { listColumnHelper } from "#components/data-table/data-table.tsx";
import { ListView } from "#components/data-table/list-view.tsx";
import { EmptyState } from "#components/data-table/states.tsx";
import { useOrigin } from "#components/layout/origin.ts";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { RelativeTime } from "#components/layout/time.tsx";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { eventTypeListOptions } from "#lib/event-types/client.ts";
import type { EventType } from "#lib/event-types/schema.ts";
import { eventTypeFilters, eventTypeParams } from "./list-params.ts";

const helper = listColumnHelper<EventType>();

const columns = [
  helper.display({
    id: "name",
    header: "Event type",
    meta: { phone: "lead", className: "sm:w-[32%] truncate", sorted: "ascending" },
    cell: ({ row: { original: type } }) => (
      <span className="inline-flex max-w-full items-center gap-0.5">
        <code className="truncate font-medium font-mono text-xs" title={type.name}>
          {type.name}
        </code>
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
    id: "created",
    header: "Created",
    meta: { phone: "lead-end", className: "sm:w-28" },
    cell: ({ row: { original: type } }) => <RelativeTime iso={type.created_at} className="text-ink-2" />,
  }),
];

const example = (origin: string) => `curl ${origin}/api/v1/event-types \\
  -H "Authorization: Bearer $POSTHORN_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"name":"conversion.approved","description":"A conversion was approved"}'`;

export function EventTypeList() {
  const [params, setParams] = useQueryStates(eventTypeParams, { history: "push" });
  const query = useQuery({
    ...eventTypeListOptions(eventTypeFilters(params)),
    refetchInterval: useLiveInterval(),
    placeholderData: keepPreviousData,
  });
  return (
    <ListView
      caption="Event types by name"
      noun="event types"
      query={query}
      columns={columns}
      rowKey={({ name }) => name}
      cursor={params.cursor}
      onCursor={(cursor) => void setParams({ cursor })}
      empty={<NoEventTypes />}
    />
  );
}

function NoEventTypes() {
  return (
    <EmptyState icon={BookText} title="No event types yet">
      <p>The catalogue names every kind of event that may be published. Add the first with your API key:</p>
      <div className="text-left">
        <CodeBlock text={example(useOrigin())} what="example request" />
      </div>
    </EmptyState>
  );
}
