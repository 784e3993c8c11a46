"use client";

import { useQuery } from "@tanstack/react-query";
import { CircleAlert } from "lucide-react";
import { ErrorState, StaleNotice } from "#components/data-table/states.tsx";
import { useClockText } from "#components/layout/clock.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { formatCapped, formatCount, formatMs, formatNoun, formatSpan } from "#lib/format.ts";
import { overviewOptions } from "#lib/stats/client.ts";
import type { Overview } from "#lib/stats/schema.ts";
import { FirstSteps } from "./first-steps.tsx";
import { OverviewSkeleton } from "./overview-skeleton.tsx";
import { ThroughputChart } from "./throughput-chart.tsx";
import { Tile, TileGroup } from "./tile.tsx";

export function OverviewView() {
  const query = useQuery({ ...overviewOptions(), refetchInterval: useLiveInterval() });
  const { data: overview, error } = query;
  const retry = () => void query.refetch();
  if (!overview) {
    if (error)
      return <ErrorState what="The overview" error={error} onRetry={retry} busy={query.isFetching} />;
    return <OverviewSkeleton />;
  }
  const { endpoints } = overview;
  const endpointCount = endpoints.active + endpoints.paused + endpoints.disabled;
  return (
    <div className="flex flex-col gap-6">
      {error ? <StaleNotice error={error} onRetry={retry} busy={query.isFetching} /> : null}
      {overview.workers_alive === 0 ? <NoWorker /> : null}
      {endpointCount === 0 ? <FirstSteps /> : null}
      <Now overview={overview} />
      <LastHour overview={overview} />
      <ThroughputChart throughput={overview.throughput} />
      <TileGroup title="Endpoints">
        <Tile
          href="/endpoints?view=failing"
          label="Failing"
          value={formatCount(endpoints.failing)}
          note="latest attempt failed"
          alarming={endpoints.failing > 0}
        />
        <Tile
          href="/endpoints?view=paused"
          label="Paused"
          value={formatCount(endpoints.paused)}
          note="events are held"
        />
        <Tile
          href="/endpoints?view=disabled"
          label="Disabled"
          value={formatCount(endpoints.disabled)}
          note="events are held"
          alarming={endpoints.disabled > 0}
        />
        <Tile
          href="/endpoints"
          label="Active"
          value={formatCount(endpoints.active)}
          note={`of ${formatCount(endpointCount)}`}
        />
      </TileGroup>
    </div>
  );
}

function Now({ overview }: { overview: Overview }) {
  const oldestMs = (nowMs: number) =>
    overview.oldest_waiting_at ? nowMs - Date.parse(overview.oldest_waiting_at) : null;
  const oldest = useClockText((nowMs) => {
    const ms = oldestMs(nowMs);
    return ms === null ? "nothing is due" : `oldest due for ${formatSpan(ms)}`;
  });
  return (
    <TileGroup title="Now">
      <Tile
        href="/deliveries?state=pending"
        label="Waiting"
        value={formatCapped(overview.waiting)}
        note={oldest}
      />
      <Tile
        href="/deliveries?state=failed"
        label="Awaiting retry"
        value={formatCapped(overview.awaiting_retry)}
        note="failed, will be tried again"
      />
      <Tile
        href="/deliveries?state=in_flight"
        label="In flight"
        value={formatCapped(overview.in_flight)}
        note={`${formatNoun(overview.workers_alive, "worker")} alive`}
      />
      <Tile
        href="/dead-letters"
        label="Dead letters"
        value={formatCapped(overview.dead_letters)}
        note="given up until somebody acts"
        alarming={overview.dead_letters.count > 0}
      />
    </TileGroup>
  );
}

function LastHour({ overview }: { overview: Overview }) {
  return (
    <TileGroup title="Last hour">
      <Tile
        href="/deliveries?state=delivered"
        label="Delivered"
        value={formatCount(overview.delivered_last_hour)}
      />
      <Tile
        href="/endpoints?view=failing"
        label="Failed attempts"
        value={formatCount(overview.failed_attempts_last_hour)}
        note="each may be retried"
      />
      <Tile
        href="/dead-letters"
        label="New dead letters"
        value={formatCount(overview.new_dead_letters_last_hour)}
        alarming={overview.new_dead_letters_last_hour > 0}
      />
      <Tile
        href="/deliveries?state=delivered"
        label="Mean time of a success"
        value={overview.mean_success_ms === null ? "–" : formatMs(overview.mean_success_ms)}
        note={overview.mean_success_ms === null ? "no success to measure" : "from start to the whole answer"}
      />
      <Tile
        href="/deliveries"
        label="P50, P95, P99 of all attempts"
        value={percentilesOf(overview)}
        note={overview.p50_ms === null ? "no attempt to measure" : "failures included"}
      />
    </TileGroup>
  );
}

function percentilesOf({ p50_ms, p95_ms, p99_ms }: Overview): string {
  const known = [p50_ms, p95_ms, p99_ms].filter((ms) => ms !== null);
  return known.length === 0 ? "–" : known.map(formatMs).join(", ");
}

function NoWorker() {
  return (
    <div role="alert" className="flex items-start gap-3 rounded-lg border border-bad bg-bad-tint px-4 py-3">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
      <p>
        <strong className="font-semibold text-bad">No worker is alive, so nothing is being sent.</strong>{" "}
        Events are accepted and kept. Start a worker with{" "}
        <code className="font-mono text-xs">npm run worker</code>; it goes on where the last one stopped.
      </p>
    </div>
  );
}
