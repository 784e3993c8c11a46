"use client";

import { useQuery } from "@tanstack/react-query";
import { Performance } from "#components/charts/performance.tsx";
import { ErrorState, StaleNotice } from "#components/data-table/states.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { withQuery } from "#lib/api/fetcher.ts";
import { formatCapped, formatCount, formatMs, formatNoun } from "#lib/format.ts";
import { overviewOptions } from "#lib/stats/client.ts";
import type { Overview } from "#lib/stats/schema.ts";
import { FirstSteps } from "./first-steps.tsx";
import { NoWorker } from "./no-worker.tsx";
import { OldestWaiting } from "./oldest-waiting.tsx";
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
  const { active, paused, disabled } = overview.endpoints;
  return (
    <div className="flex flex-col gap-6">
      {error ? <StaleNotice error={error} onRetry={retry} busy={query.isFetching} /> : null}
      {overview.workers_alive === 0 ? <NoWorker /> : null}
      {active + paused + disabled === 0 ? <FirstSteps /> : null}
      <Now overview={overview} />
      <LastHour overview={overview} />
      <ThroughputChart throughput={overview.throughput} />
      <Endpoints endpoints={overview.endpoints} />
      <Performance scope={{}} />
    </div>
  );
}

function Now({ overview }: { overview: Overview }) {
  return (
    <TileGroup title="Now" columns={6}>
      <Tile
        href="/deliveries?state=pending"
        label="Waiting"
        value={formatCapped(overview.waiting)}
        note="held and blocked ones included"
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
      <OldestWaiting overview={overview} />
      <Tile
        href="/alerts?view=open"
        label="Open alerts"
        value={formatCount(overview.open_alerts)}
        note="what dead letters have in common"
        alarming={overview.open_alerts > 0}
      />
    </TileGroup>
  );
}

function LastHour({ overview }: { overview: Overview }) {
  const from = overview.hour_from;
  return (
    <TileGroup title="Last hour">
      <Tile
        href={withQuery("/deliveries", { state: "delivered", from })}
        label="Delivered"
        value={formatCount(overview.delivered_last_hour)}
      />
      <Tile
        href="/endpoints?view=all"
        label="Failed attempts"
        value={formatCount(overview.failed_attempts_last_hour)}
        note="each may be retried"
      />
      <Tile
        href={withQuery("/dead-letters", { from })}
        label="New dead letters"
        value={formatCount(overview.new_dead_letters_last_hour)}
        note="by when they failed"
        alarming={overview.new_dead_letters_last_hour > 0}
      />
      <Tile
        href={withQuery("/deliveries", { state: "delivered", from })}
        label="Mean time of a success"
        value={overview.mean_success_ms === null ? "–" : formatMs(overview.mean_success_ms)}
        note={overview.mean_success_ms === null ? "no success to measure" : "from start to the whole answer"}
      />
      <Tile
        href="/endpoints?view=slow"
        label="P50, P95, P99"
        value={percentilesOf(overview)}
        small
        note={overview.p50_ms === null ? "no attempt to measure" : "of all attempts, failures included"}
      />
    </TileGroup>
  );
}

function Endpoints({ endpoints }: { endpoints: Overview["endpoints"] }) {
  return (
    <TileGroup title="Endpoints">
      <Tile
        href="/endpoints?view=failing"
        label="Failing"
        value={formatCount(endpoints.failing)}
        note={`of ${formatCount(endpoints.active)} active`}
        alarming={endpoints.failing > 0}
      />
      <Tile
        href="/endpoints?view=breaker_open"
        label="Breaker open"
        value={formatCount(endpoints.breaker_open)}
        note="only probes go out"
        alarming={endpoints.breaker_open > 0}
      />
      <Tile
        href="/endpoints?view=slow"
        label="Slow"
        value={formatCount(endpoints.slow)}
        note="or slowing down"
      />
      <Tile
        href="/endpoints?view=disabled"
        label="Disabled"
        value={formatCount(endpoints.disabled)}
        note="events are held"
        alarming={endpoints.disabled > 0}
      />
      <Tile
        href="/endpoints?view=paused"
        label="Paused"
        value={formatCount(endpoints.paused)}
        note="events are held"
      />
    </TileGroup>
  );
}

function percentilesOf({ p50_ms, p95_ms, p99_ms }: Overview): string {
  const known = [p50_ms, p95_ms, p99_ms].filter((ms) => ms !== null);
  return known.length === 0 ? "–" : known.map(formatMs).join(" · ");
}
