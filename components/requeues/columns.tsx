"use client";

import { listColumnHelper } from "#components/data-table/data-table.tsx";
import { RowLink } from "#components/data-table/row-link.tsx";
import { RelativeTime } from "#components/layout/time.tsx";
import type { Requeue } from "#lib/requeues/schema.ts";
import { filterFacts, progressWords, sourceWords } from "#lib/requeues/words.ts";
import { requeueOperationLabels } from "#lib/vocabulary.ts";
import { RequeueProgress } from "./progress-bar.tsx";
import { RequeueStatePill } from "./state-pill.tsx";

const helper = listColumnHelper<Requeue>();

const what = helper.display({
  id: "what",
  header: "Requeue",
  meta: { phone: "lead", className: "sm:w-[28%] truncate" },
  cell: ({ row: { original: requeue } }) => (
    <RowLink href={`/requeues/${requeue.id}`} title={requeueTitle(requeue)}>
      {requeueTitle(requeue)}
    </RowLink>
  ),
});

const state = helper.display({
  id: "state",
  header: "State",
  meta: { phone: "lead-end", className: "sm:w-36" },
  cell: ({ row: { original: requeue } }) => <RequeueStatePill state={requeue.state} />,
});

const progress = helper.display({
  id: "progress",
  header: "Progress",
  meta: { phone: "second", className: "sm:w-[19%]" },
  cell: ({ row: { original: requeue } }) => (
    <span className="flex items-center gap-3">
      <span className="w-24 shrink-0 max-lg:hidden">
        <RequeueProgress requeue={requeue} />
      </span>
      <span className="truncate text-ink-2 tabular-nums">{progressWords(requeue)}</span>
    </span>
  ),
});

const reason = helper.display({
  id: "reason",
  header: "Reason",
  meta: { phone: "hidden", className: "sm:max-lg:hidden truncate" },
  cell: ({ row: { original: requeue } }) => (
    <span className="text-ink-2" title={requeue.reason}>
      {requeue.reason}
    </span>
  ),
});

const who = helper.display({
  id: "who",
  header: "Who",
  meta: { phone: "hidden", className: "sm:max-md:hidden sm:w-[12%] truncate" },
  cell: ({ row: { original: requeue } }) => <span className="text-ink-2">{requeue.created_by.name}</span>,
});

const created = helper.display({
  id: "created",
  header: "Started",
  meta: { phone: "second-end", className: "sm:w-28", sorted: "descending" },
  cell: ({ row: { original: requeue } }) => <RelativeTime iso={requeue.created_at} className="text-ink-2" />,
});

export const requeueColumns = [what, state, progress, reason, who, created];

/** `Requeue dead letters of Orders`, `Requeue dead letters: Their server refused our credentials`. */
export function requeueTitle({ operation, filter }: Pick<Requeue, "operation" | "filter">): string {
  const what = `${requeueOperationLabels[operation]} ${sourceWords(filter)}`;
  const whose = filter.endpoint?.name ?? filter.affiliate?.name ?? filter.event_type;
  if (whose !== undefined) return `${what} of ${whose}`;
  const [fact] = filter.ids ? [] : filterFacts(filter);
  return fact ? `${what}: ${fact.value}` : what;
}
