"use client";

import { CircleCheck, CircleStop, Skull } from "lucide-react";
import Link from "next/link";
import { DataTable, listColumnHelper } from "#components/data-table/data-table.tsx";
import { RelativeTime } from "#components/layout/time.tsx";
import { Pill, type PillLook } from "#components/ui/pill.tsx";
import { formatCapped, formatCount } from "#lib/format.ts";
import type { WorkerStatus } from "#lib/queue-status/schema.ts";
import { type WorkerState, workerStateLabels } from "#lib/vocabulary.ts";

const looks = {
  alive: { tone: "ok", icon: CircleCheck },
  lost: { tone: "bad", icon: Skull },
  stopped: { tone: "idle", icon: CircleStop },
} satisfies Record<WorkerState, PillLook>;

const helper = listColumnHelper<WorkerStatus>();

const columns = [
  helper.display({
    id: "worker",
    header: "Worker",
    meta: { phone: "lead", className: "truncate" },
    cell: ({ row: { original: worker } }) => (
      <span title={`Worker ${worker.id}, version ${worker.version}`}>
        <span className="font-medium">{worker.hostname}</span>{" "}
        <span className="text-ink-3">pid {worker.pid}</span>
      </span>
    ),
  }),
  helper.display({
    id: "state",
    header: "State",
    meta: { phone: "lead-end", className: "sm:w-28" },
    cell: ({ row: { original: worker } }) => (
      <Pill {...looks[worker.state]}>{workerStateLabels[worker.state]}</Pill>
    ),
  }),
  helper.display({
    id: "heartbeat",
    header: "Heartbeat",
    meta: { phone: "second", className: "sm:w-28" },
    cell: ({ row: { original: worker } }) => (
      <span className="text-ink-2">
        <span className="sm:sr-only">Heartbeat </span>
        <RelativeTime iso={worker.heartbeat_at} />
      </span>
    ),
  }),
  helper.display({
    id: "leases",
    header: "Leases held",
    meta: { phone: "second-end", className: "sm:w-28" },
    cell: ({ row: { original: worker } }) => (
      <>
        <span className="text-ink-2 sm:sr-only">Leases held: </span>
        <Leases worker={worker} />
      </>
    ),
  }),
  helper.display({
    id: "claimed",
    header: "Claimed, 1 min",
    meta: { phone: "hidden", className: "sm:w-32 sm:max-md:hidden" },
    cell: ({ row: { original: worker } }) => <Pace count={worker.claimed_last_minute} />,
  }),
  helper.display({
    id: "settled",
    header: "Settled, 1 min",
    meta: { phone: "hidden", className: "sm:w-32 sm:max-md:hidden" },
    cell: ({ row: { original: worker } }) => <Pace count={worker.settled_last_minute} />,
  }),
  helper.display({
    id: "started",
    header: "Started",
    meta: { phone: "hidden", className: "sm:w-28 sm:max-lg:hidden" },
    cell: ({ row: { original: worker } }) => <RelativeTime iso={worker.started_at} className="text-ink-2" />,
  }),
  helper.display({
    id: "version",
    header: "Version",
    meta: { phone: "hidden", className: "sm:w-24 sm:max-lg:hidden" },
    cell: ({ row: { original: worker } }) => <span className="text-ink-2">{worker.version}</span>,
  }),
];

export function WorkerList({ workers }: { workers: WorkerStatus[] }) {
  if (workers.length === 0) return <p className="text-ink-2">No worker has run in the last 24 hours.</p>;
  return (
    <DataTable
      caption="Workers, those alive first"
      columns={columns}
      rows={workers}
      rowKey={({ id }) => id}
    />
  );
}

/** What a lost worker held is taken back by another within seconds of its lease's end. */
function Leases({ worker: { leases, state } }: { worker: WorkerStatus }) {
  if (leases.count === 0) return <span className="text-ink-3">0</span>;
  return (
    <Link
      href="/deliveries?state=in_flight"
      prefetch={false}
      className={state === "alive" ? "text-ink-2 hover:underline" : "font-medium text-bad hover:underline"}
    >
      {formatCapped(leases)}
      <span className="sr-only"> deliveries in flight</span>
    </Link>
  );
}

function Pace({ count }: { count: number | null }) {
  return count === null ? (
    <span className="text-ink-3">–</span>
  ) : (
    <span className="text-ink-2">{formatCount(count)}</span>
  );
}
