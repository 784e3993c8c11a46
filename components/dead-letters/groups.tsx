"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useId, useMemo } from "react";
import { DataTable, listColumnHelper } from "#components/data-table/data-table.tsx";
import { RowLink } from "#components/data-table/row-link.tsx";
import { ErrorState, StaleNotice, TableSkeleton } from "#components/data-table/states.tsx";
import { RelativeTime } from "#components/layout/time.tsx";
import { deadLetterGroupsOptions } from "#lib/dead-letters/client.ts";
import type { DeadLetterGroup } from "#lib/dead-letters/schema.ts";
import { formatCount, formatNoun } from "#lib/format.ts";
import { reasonSentences } from "#lib/vocabulary.ts";
import {
  type DeadLetterParams,
  groupFilters,
  groupHref,
  groupRequeueFilter,
  searchRefusal,
  unknownRefusal,
} from "./list-params.ts";
import { RequeueButton } from "./requeue-button.tsx";

/** Counting half a million takes a quarter of a second, so it is not done every few seconds. */
const refetchMs = 30_000;
const helper = listColumnHelper<DeadLetterGroup>();

const columnsFor = (params: DeadLetterParams) => [
  helper.display({
    id: "cause",
    header: "Cause",
    meta: { phone: "lead", className: "sm:w-[34%] truncate" },
    cell: ({ row: { original: group } }) => (
      <RowLink href={groupHref(group, params)} title={causeWords(group)}>
        {group.status === null ? null : <span className="mr-2 font-mono text-xs">{group.status}</span>}
        {causeWords(group)}
      </RowLink>
    ),
  }),
  helper.display({
    id: "endpoint",
    header: "Endpoint",
    meta: { phone: "second", className: "truncate" },
    cell: ({ row: { original: group } }) => (
      <>
        {group.endpoint.status === "deleted" ? `${group.endpoint.name} (deleted)` : group.endpoint.name}
        <span className="ml-2 text-ink-3">{group.affiliate.name}</span>
      </>
    ),
  }),
  helper.display({
    id: "count",
    header: "Count",
    meta: { phone: "lead-end", className: "sm:w-20", sorted: "descending" },
    cell: ({ row: { original: group } }) => <span className="font-medium">{formatCount(group.count)}</span>,
  }),
  helper.display({
    id: "first",
    header: "First",
    meta: { phone: "hidden", className: "sm:w-28 sm:max-md:hidden" },
    cell: ({ row: { original: group } }) => <RelativeTime iso={group.first_at} className="text-ink-2" />,
  }),
  helper.display({
    id: "last",
    header: "Last",
    meta: { phone: "second-end", className: "sm:w-28" },
    cell: ({ row: { original: group } }) => <RelativeTime iso={group.last_at} className="text-ink-2" />,
  }),
  helper.display({
    id: "attempts",
    header: "Mean attempts",
    meta: { phone: "hidden", className: "sm:w-32 sm:max-lg:hidden" },
    cell: ({ row: { original: group } }) => (
      <span className="text-ink-2">{group.mean_attempts.toFixed(1)}</span>
    ),
  }),
  helper.display({
    id: "requeue",
    header: () => <span className="sr-only">Requeue</span>,
    meta: { phone: "hidden", className: "sm:w-16" },
    cell: ({ row: { original: group } }) => <RequeueGroup group={group} params={params} />,
  }),
];

function RequeueGroup({ group, params }: { group: DeadLetterGroup; params: DeadLetterParams }) {
  const filter = groupRequeueFilter(group, params);
  const { endpoint, status } = group;
  const answer = status === null ? causeWords(group) : `${status}, ${causeWords(group)}`;
  return (
    <RequeueButton
      compact
      label={`Requeue the group: ${answer}, ${endpoint.name}`}
      title={`Requeue dead letters of ${endpoint.name}?`}
      description={`${answer}.`}
      filter={filter ?? {}}
      refusal={filter ? null : group.reason === null ? unknownRefusal : searchRefusal}
    />
  );
}

/** The dead letters of the filters by endpoint and answer; each group leads to its rows. */
export function Groups({ params }: { params: DeadLetterParams }) {
  const headingId = useId();
  const query = useQuery({
    ...deadLetterGroupsOptions(groupFilters(params)),
    refetchInterval: refetchMs,
    placeholderData: keepPreviousData,
  });
  const retry = () => void query.refetch();
  const columns = useMemo(() => columnsFor(params), [params]);
  const { data, error } = query;
  // Where there is nothing, the list below says so, and what to do.
  if (data && data.data.length === 0) return null;
  return (
    <section aria-labelledby={headingId} className="mb-6">
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id={headingId} className="font-semibold text-sm">
          By cause and endpoint
        </h2>
        {data ? (
          <p className="text-ink-3 text-xs">
            {formatNoun(data.count, "dead letter")} in {formatNoun(data.groups, "group")}
            {data.groups > data.data.length ? `, the largest ${data.data.length} of them here` : ""}
          </p>
        ) : null}
      </div>
      {error && data ? <StaleNotice error={error} onRetry={retry} busy={query.isFetching} /> : null}
      {data ? (
        <DataTable
          caption="Dead letters by cause and endpoint, the largest group first"
          columns={columns}
          rows={data.data}
          rowKey={groupKey}
          busy={query.isPlaceholderData}
        />
      ) : error ? (
        <ErrorState what="The groups" error={error} onRetry={retry} busy={query.isFetching} />
      ) : (
        <TableSkeleton rows={5} />
      )}
    </section>
  );
}

function groupKey({ endpoint, reason, status }: DeadLetterGroup): string {
  return `${endpoint.id} ${reason} ${status}`;
}

function causeWords({ reason }: DeadLetterGroup): string {
  return reason ? reasonSentences[reason] : "No reason was recorded";
}
