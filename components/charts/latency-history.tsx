"use client";

import { useTimeZone } from "#components/layout/preferences.ts";
import { formatBucket, formatMs } from "#lib/format.ts";
import { BreakerBand } from "./breaker-band.tsx";
import { Chart } from "./chart.tsx";
import { HistoryChart, type HistoryProps, rangeOf } from "./history-chart.tsx";
import { bucketUnits, latencyWords } from "./history-words.ts";
import type { ChartSeries } from "./plot.ts";

const series: ChartSeries[] = [
  { key: "p50_ms", name: "P50", color: "var(--ink-3)", format: formatMs },
  { key: "p95_ms", name: "P95", color: "var(--ink)", dash: "7 3", format: formatMs },
  { key: "p99_ms", name: "P99", color: "var(--ink-2)", dash: "2 3", format: formatMs },
  { key: "attempts", name: "Attempts", color: "", wordsOnly: true },
];

/** P50, P95 and P99 over time, of one endpoint with its breaker's states beneath. */
export function LatencyHistory(props: HistoryProps) {
  const timeZone = useTimeZone();
  const { onRange } = props;
  const title = "Latency";
  return (
    <HistoryChart {...props} title={title}>
      {(history) => (
        <Chart
          title={title}
          unit={bucketUnits[history.resolution]}
          summary={latencyWords({ history, timeZone })}
          series={series}
          points={history.buckets.map(({ at, attempts, p50_ms, p95_ms, p99_ms }) => ({
            label: formatBucket(at, history.resolution, timeZone),
            values: { p50_ms, p95_ms, p99_ms, attempts },
          }))}
          drawing="lines"
          empty={history.total.attempts === 0 ? "No attempt was made in this range." : null}
          band={history.breaker ? <BreakerBand {...history} breaker={history.breaker} /> : null}
          syncId="history"
          onZoom={onRange && ((first, last) => onRange(rangeOf(history, first, last)))}
        />
      )}
    </HistoryChart>
  );
}
