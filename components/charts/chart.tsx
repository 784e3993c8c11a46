"use client";

import dynamic from "next/dynamic";
import { type ReactNode, useState } from "react";
import { Panel } from "#components/ui/panel.tsx";
import { ScrollRegion } from "#components/ui/scroll-region.tsx";
import { formatCount } from "#lib/format.ts";
import type { ChartPoint, ChartSeries, Drawing } from "./plot.ts";
import { ZoomArea } from "./zoom-area.tsx";

export type { ChartSeries } from "./plot.ts";

type ChartProps = {
  title: string;
  /** What each point stands for, as the heading of the table's first column. */
  unit: string;
  summary: ReactNode;
  series: ChartSeries[];
  points: ChartPoint[];
  drawing?: Drawing;
  /** In place of the drawing when there is nothing to draw. */
  empty?: string | null;
  /** Under the drawing, along its time. */
  band?: ReactNode;
  /** Charts with the same one share their crosshair. */
  syncId?: string;
  /** Makes it so that dragging over the plot chooses points. */
  onZoom?: ((first: number, last: number) => void) | undefined;
};

const TimeSeries = dynamic(() => import("./time-series.tsx"), {
  ssr: false,
  loading: () => <div className="skeleton h-44" />,
});

/** Bars or lines over time with their text summary, and the same numbers as a table. */
export function Chart(props: ChartProps) {
  const { title, summary, series, points, drawing = "bars", empty = null, band, syncId, onZoom } = props;
  const [asTable, setAsTable] = useState(false);
  const plot = <TimeSeries drawing={drawing} points={points} series={series} syncId={syncId} />;
  return (
    <Panel
      title={title}
      aside={
        <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
          {series
            .filter(({ wordsOnly }) => !wordsOnly)
            .map((one) => (
              <LegendEntry key={one.key} series={one} drawing={drawing} />
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
        <Table {...props} />
      ) : (
        <div aria-hidden>
          {empty !== null ? (
            <p className="flex h-44 items-center justify-center rounded-md bg-surface px-4 text-ink-3">
              {empty}
            </p>
          ) : onZoom ? (
            <ZoomArea count={points.length} onZoom={onZoom}>
              {plot}
            </ZoomArea>
          ) : (
            plot
          )}
        </div>
      )}
      {asTable ? null : band}
    </Panel>
  );
}

function LegendEntry({ series, drawing }: { series: ChartSeries; drawing: Drawing }) {
  return (
    <span className="flex items-center gap-1.5 text-ink-2 text-xs">
      {drawing === "bars" ? (
        <span aria-hidden className="size-2.5 rounded-sm" style={{ background: series.color }} />
      ) : (
        <svg aria-hidden="true" width="22" height="4">
          <line
            x2="22"
            y1="2"
            y2="2"
            stroke={series.color}
            strokeWidth="2"
            {...(series.dash === undefined ? {} : { strokeDasharray: series.dash })}
          />
        </svg>
      )}
      {series.name}
    </span>
  );
}

function Table({ title, unit, series, points }: ChartProps) {
  return (
    <ScrollRegion label={`${title} as a table`} className="h-44 overflow-auto">
      <table className="w-full text-left">
        <caption className="sr-only">{title}</caption>
        <thead className="sticky top-0 bg-canvas text-ink-3 text-xs">
          <tr>
            <th scope="col" className="h-7 whitespace-nowrap pr-3 font-medium">
              {unit}
            </th>
            {series.map(({ key, name }) => (
              <th key={key} scope="col" className="whitespace-nowrap pr-3 font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.map(({ label, values }, index) => (
            // An hour that a zone repeats has the same label twice.
            <tr key={`${label} ${points[index - 1]?.label}`} className="border-line border-t">
              <th scope="row" className="h-7 whitespace-nowrap pr-3 font-normal">
                {label}
              </th>
              {series.map(({ key, format = formatCount }) => {
                const value = values[key] ?? null;
                return <td key={key}>{value === null ? <Gap /> : format(value)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function Gap() {
  return (
    <>
      <span aria-hidden>–</span>
      <span className="sr-only">nothing</span>
    </>
  );
}
