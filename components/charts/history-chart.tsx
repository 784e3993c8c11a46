"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorState, StaleNotice } from "#components/data-table/states.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { Panel } from "#components/ui/panel.tsx";
import { type HistoryScope, type HistoryTimes, historyOptions } from "#lib/stats/client.ts";
import { resolutionMs } from "#lib/stats/ranges.ts";
import type { History } from "#lib/stats/schema.ts";

export type HistoryProps = {
  scope: HistoryScope;
  range: HistoryTimes;
  /** Where dragging over the chart leads; without it, dragging does nothing. */
  onRange?: (times: HistoryTimes) => void;
};

type HistoryChartProps = HistoryProps & { title: string; children: (history: History) => ReactNode };

/** Reads a history and shows its chart, or that it is on its way or could not be read. */
export function HistoryChart({ scope, range, title, children }: HistoryChartProps) {
  const query = useQuery({
    ...historyOptions(scope, range),
    refetchInterval: useLiveInterval(),
    placeholderData: keepPreviousData,
  });
  const { data: history, error } = query;
  const retry = () => void query.refetch();
  // Of another range than the one that failed: that would be read as its answer.
  if (error && (!history || query.isPlaceholderData))
    return <ErrorState what={title} error={error} onRetry={retry} busy={query.isFetching} />;
  if (!history) return <HistorySkeleton title={title} />;
  return (
    <div aria-busy={query.isPlaceholderData}>
      {error ? <StaleNotice error={error} onRetry={retry} busy={query.isFetching} /> : null}
      {children(history)}
    </div>
  );
}

function HistorySkeleton({ title }: { title: string }) {
  return (
    <Panel title={title}>
      <div role="status">
        <span className="sr-only">Loading</span>
        <div aria-hidden className="skeleton mb-3 h-5 w-2/3" />
        <div aria-hidden className="skeleton h-44" />
      </div>
    </Panel>
  );
}

/** The range of these buckets. */
export function rangeOf({ buckets, resolution, at }: History, first: number, last: number): HistoryTimes {
  const start = buckets[first]?.at ?? at;
  const endMs = Date.parse(buckets[last]?.at ?? at) + resolutionMs[resolution];
  return { from: start, to: new Date(Math.min(endMs, Date.parse(at))).toISOString() };
}
