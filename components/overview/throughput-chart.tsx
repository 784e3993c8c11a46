"use client";

import { Chart, type ChartSeries } from "#components/charts/chart.tsx";
import { useTimeZone } from "#components/layout/preferences.ts";
import { formatCount, formatMinute, formatNoun } from "#lib/format.ts";
import type { Overview } from "#lib/stats/schema.ts";

const series: ChartSeries[] = [
  { key: "delivered", name: "Delivered", color: "var(--chart-ok)" },
  { key: "failed", name: "Failed attempts", color: "var(--chart-bad)" },
];

export function ThroughputChart({ throughput }: { throughput: Overview["throughput"] }) {
  const timeZone = useTimeZone();
  return (
    <Chart
      title="Requests a minute, last hour"
      unit="Minute"
      summary={throughputWords(throughput, timeZone)}
      series={series}
      points={throughput.map(({ minute, delivered, failed }) => ({
        label: formatMinute(minute, timeZone),
        values: { delivered, failed },
      }))}
    />
  );
}

function throughputWords(throughput: Overview["throughput"], timeZone: string | undefined): string {
  const total = (key: "delivered" | "failed") => throughput.reduce((sum, minute) => sum + minute[key], 0);
  const delivered = total("delivered");
  const failed = total("failed");
  if (delivered + failed === 0) return "No request was made in the last hour.";
  const busiest = throughput.reduce((most, minute) =>
    minute.delivered + minute.failed > most.delivered + most.failed ? minute : most,
  );
  return `${formatNoun(delivered, "delivery", "deliveries")} and ${formatNoun(failed, "failed attempt")}. The busiest minute was ${formatMinute(busiest.minute, timeZone)} with ${formatCount(busiest.delivered + busiest.failed)} requests.`;
}
