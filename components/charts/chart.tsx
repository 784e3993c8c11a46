"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { Panel } from "#components/ui/panel.tsx";
import { ScrollRegion } from "#components/ui/scroll-region.tsx";
import { formatCount } from "#lib/format.ts";

export type ChartSeries = { key: string; name: string; color: string };
export type ChartPoint = { label: string; values: Record<string, number> };

type ChartProps = {
  title: string;
  unit: string;
  summary: string;
  series: ChartSeries[];
  points: ChartPoint[];
};

const StackedBars = dynamic(() => import("./stacked-bars.tsx"), {
  ssr: false,
  loading: () => <div className="skeleton h-44" />,
});

/** Stacked bars over time with their text summary, and the same numbers as a table. */
export function Chart({ title, unit, summary, series, points }: ChartProps) {
  const [asTable, setAsTable] = useState(false);
  return (
    <Panel
      title={title}
      aside={
        <span className="flex items-center gap-4">
          {series.map(({ key, name, color }) => (
            <span key={key} className="flex items-center gap-1.5 text-ink-2 text-xs">
              <span aria-hidden className="size-2.5 rounded-sm" style={{ background: color }} />
              {name}
            </span>
          ))}
          <button
            type="button"
            onClick={() => setAsTable(!asTable)}
            className="h-6 text-ink-2 text-xs underline underline-offset-2"
          >
            {asTable ? "Show as a chart" : "Show as a table"}
          </button>
        </span>
      }
    >
      <p className="mb-3 text-ink-2">{summary}</p>
      {asTable ? (
        <ScrollRegion label={`${title} as a table`} className="h-44 overflow-y-auto">
          <table className="w-full text-left">
            <caption className="sr-only">{title}</caption>
            <thead className="sticky top-0 bg-canvas text-ink-3 text-xs">
              <tr>
                <th scope="col" className="h-7 font-medium">
                  {unit}
                </th>
                {series.map(({ key, name }) => (
                  <th key={key} scope="col" className="font-medium">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {points.map(({ label, values }) => (
                <tr key={label} className="border-line border-t">
                  <th scope="row" className="h-7 font-normal">
                    {label}
                  </th>
                  {series.map(({ key }) => (
                    <td key={key}>{formatCount(values[key] ?? 0)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      ) : (
        <div aria-hidden>
          <StackedBars points={points} series={series} />
        </div>
      )}
    </Panel>
  );
}
