"use client";

import { useTimeZone } from "#components/layout/preferences.ts";
import { formatBucket } from "#lib/format.ts";
import { type OutcomeClass, outcomeClasses, outcomeClassLabels } from "#lib/vocabulary.ts";
import { Chart } from "./chart.tsx";
import { HistoryChart, type HistoryProps, rangeOf } from "./history-chart.tsx";
import { bucketUnits, outcomeWords } from "./history-words.ts";

const colors = {
  delivered: "var(--chart-ok)",
  redirect: "var(--chart-redirect)",
  client_error: "var(--chart-refused)",
  server_error: "var(--chart-bad)",
  timeout: "var(--chart-timeout)",
  network: "var(--chart-network)",
  other: "var(--chart-other)",
} satisfies Record<OutcomeClass, string>;

/** How attempts ended over time; classes that did not occur in the range are left out. */
export function OutcomeHistory(props: HistoryProps) {
  const timeZone = useTimeZone();
  const { onRange } = props;
  const title = "Outcomes";
  return (
    <HistoryChart {...props} title={title}>
      {(history) => (
        <Chart
          title={title}
          unit={bucketUnits[history.resolution]}
          summary={outcomeWords({ history, timeZone })}
          series={outcomeClasses
            .filter((name) => name === "delivered" || (history.total.outcomes?.[name] ?? 0) > 0)
            .map((name) => ({ key: name, name: outcomeClassLabels[name], color: colors[name] }))}
          points={history.buckets.map(({ at, outcomes }) => ({
            label: formatBucket(at, history.resolution, timeZone),
            values: outcomes ?? {},
          }))}
          empty={history.total.attempts === 0 ? "No attempt was made in this range." : null}
          syncId="history"
          onZoom={onRange && ((first, last) => onRange(rangeOf(history, first, last)))}
        />
      )}
    </HistoryChart>
  );
}
