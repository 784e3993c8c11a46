"use client";

import { useQuery } from "@tanstack/react-query";
import { ErrorState, StaleNotice, TableSkeleton } from "#components/data-table/states.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { NoWorker } from "#components/overview/no-worker.tsx";
import { OldestWaiting } from "#components/overview/oldest-waiting.tsx";
import { Tile, TileGroup } from "#components/overview/tile.tsx";
import { formatCapped, formatCount, formatNoun } from "#lib/format.ts";
import { queueStatusOptions } from "#lib/queue-status/client.ts";
import type { QueueStatus } from "#lib/queue-status/schema.ts";
import { Backlogs } from "./backlogs.tsx";
import { WorkerList } from "./worker-list.tsx";

export function QueueView() {
  return (
    <div className="flex flex-col gap-6">
      <Status />
      <Backlogs />
    </div>
  );
}

/** Apart from the backlog, so that either shows when the other cannot be read. */
function Status() {
  const query = useQuery({ ...queueStatusOptions(), refetchInterval: useLiveInterval() });
  const { data: queue, error } = query;
  const retry = () => void query.refetch();
  if (!queue) {
    if (error) return <ErrorState what="The queue" error={error} onRetry={retry} busy={query.isFetching} />;
    return <TableSkeleton rows={6} />;
  }
  return (
    <>
      {error ? <StaleNotice error={error} onRetry={retry} busy={query.isFetching} /> : null}
      {queue.workers_alive === 0 ? <NoWorker /> : null}
      <Numbers queue={queue} />
      <section aria-labelledby="workers">
        <h2 id="workers" className="mb-2 font-semibold text-sm">
          Workers
        </h2>
        <WorkerList workers={queue.workers} />
      </section>
    </>
  );
}

function Numbers({ queue }: { queue: QueueStatus }) {
  return (
    <TileGroup title="Now">
      <Tile
        href="/deliveries?state=pending"
        label="Waiting"
        value={formatCapped(queue.waiting)}
        note="held and blocked ones included"
      />
      <Tile
        href="/deliveries?state=failed"
        label="Awaiting retry"
        value={formatCapped(queue.awaiting_retry)}
        note="failed, will be tried again"
      />
      <Tile
        href="/deliveries?state=in_flight"
        label="In flight"
        value={formatCapped(queue.in_flight)}
        note={`${formatNoun(queue.workers_alive, "worker")} alive`}
      />
      <OldestWaiting overview={queue} />
      <Tile
        href="/overview"
        label="Claimed, settled"
        value={`${formatCount(queue.claimed_last_minute)} · ${formatCount(queue.settled_last_minute)}`}
        note="in the last minute"
      />
    </TileGroup>
  );
}
