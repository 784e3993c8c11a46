"use client";

import { listColumnHelper } from "#components/data-table/data-table.tsx";
import { RowLink } from "#components/data-table/row-link.tsx";
import { RelativeTime } from "#components/layout/time.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { MiddleCut } from "#components/ui/mono.tsx";
import type { Event } from "#lib/events/schema.ts";
import { formatBytes } from "#lib/format.ts";

const helper = listColumnHelper<Event>();

export const eventColumns = [
  helper.display({
    id: "id",
    header: "Event",
    meta: { phone: "lead", className: "truncate" },
    cell: ({ row: { original: event } }) => (
      <span className="inline-flex max-w-full items-center gap-0.5">
        <RowLink href={`/events/${encodeURIComponent(event.id)}`} className="min-w-0 font-mono text-xs">
          <MiddleCut text={event.id} />
        </RowLink>
        <CopyButton text={event.id} what="event id" />
      </span>
    ),
  }),
  helper.display({
    id: "type",
    header: "Type",
    meta: { phone: "second", className: "sm:w-[22%] truncate" },
    cell: ({ row: { original: event } }) => <span title={event.type}>{event.type}</span>,
  }),
  helper.display({
    id: "affiliate",
    header: "Affiliate",
    meta: { phone: "hidden", className: "sm:w-[22%]" },
    cell: ({ row: { original: event } }) => event.affiliate.name,
  }),
  helper.display({
    id: "size",
    header: "Data",
    meta: { phone: "second-end", className: "sm:w-24 sm:max-lg:hidden" },
    cell: ({ row: { original: event } }) => (
      <span className="text-ink-2">{formatBytes(event.data_bytes)}</span>
    ),
  }),
  helper.display({
    id: "received",
    header: "Received",
    meta: { phone: "lead-end", className: "sm:w-28", sorted: "descending" },
    cell: ({ row: { original: event } }) => <RelativeTime iso={event.received_at} className="text-ink-2" />,
  }),
];

/** For a page that is about one affiliate. */
export const affiliateEventColumns = eventColumns.filter(({ id }) => id !== "affiliate");
