import { CircleCheck, TriangleAlert } from "lucide-react";
import { listColumnHelper } from "#components/data-table/data-table.tsx";
import { RowLink } from "#components/data-table/row-link.tsx";
import { lettersHref } from "#components/dead-letters/list-params.ts";
import { RelativeTime } from "#components/layout/time.tsx";
import { Pill, type PillLook } from "#components/ui/pill.tsx";
import type { Alert } from "#lib/alerts/schema.ts";
import { formatCount } from "#lib/format.ts";
import { type AlertState, alertStateLabels, findingKindLabels } from "#lib/vocabulary.ts";

const helper = listColumnHelper<Alert>();

const looks = {
  open: { tone: "bad", icon: TriangleAlert },
  ended: { tone: "idle", icon: CircleCheck },
} satisfies Record<AlertState, PillLook>;

export const alertColumns = [
  helper.display({
    id: "kind",
    header: "Finding",
    meta: { phone: "lead", className: "sm:w-[22%] truncate" },
    cell: ({ row: { original: alert } }) => (
      <RowLink href={alertHref(alert)} title={alert.sentence}>
        {findingKindLabels[alert.kind]}
      </RowLink>
    ),
  }),
  helper.display({
    id: "state",
    header: "State",
    meta: { phone: "lead-end", className: "sm:w-24" },
    cell: ({ row: { original: alert } }) => (
      <Pill {...looks[alert.state]}>{alertStateLabels[alert.state]}</Pill>
    ),
  }),
  helper.display({
    id: "endpoint",
    header: "Where",
    meta: { phone: "second", className: "truncate" },
    cell: ({ row: { original: alert } }) => (
      <>
        {alert.endpoint?.name ?? alert.event_type}
        <span className="ml-2 text-ink-3">{alert.affiliate.name}</span>
      </>
    ),
  }),
  helper.display({
    id: "count",
    header: "Dead letters",
    meta: { phone: "hidden", className: "sm:w-28" },
    cell: ({ row: { original: alert } }) => formatCount(alert.evidence.count),
  }),
  helper.display({
    id: "first_seen",
    header: "First seen",
    meta: { phone: "second-end", className: "sm:w-28", sorted: "descending" },
    cell: ({ row: { original: alert } }) => <RelativeTime iso={alert.first_seen_at} className="text-ink-2" />,
  }),
  helper.display({
    id: "ended",
    header: "Ended",
    meta: { phone: "hidden", className: "sm:w-28 sm:max-lg:hidden" },
    cell: ({ row: { original: alert } }) =>
      alert.ended_at ? (
        <RelativeTime iso={alert.ended_at} className="text-ink-2" />
      ) : (
        <span className="text-ink-3">Goes on</span>
      ),
  }),
];

/** What it is about as it is now: its dead letters, the endpoint's, or the event. */
function alertHref({ actions, endpoint, event_id, state }: Alert): string {
  const requeue = actions.find((action) => action.kind === "requeue");
  if (state === "open" && requeue) return lettersHref(requeue.filter);
  if (endpoint) return `/endpoints/${endpoint.id}`;
  return event_id ? `/events/${encodeURIComponent(event_id)}` : "/dead-letters";
}
