"use client";

import {
  Bar,
  CartesianGrid,
  ComposedChart,
  Line,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import { formatCount } from "#lib/format.ts";
import { axisWidth, type ChartPoint, type ChartSeries, type Drawing, plotHeight } from "./plot.ts";

const manyBars = 100;
const axisText = { fill: "var(--ink-3)", fontSize: 11 };

type TimeSeriesProps = {
  drawing: Drawing;
  points: ChartPoint[];
  series: ChartSeries[];
  /** Charts with the same one share their crosshair. */
  syncId?: string | undefined;
};

/** The drawing alone: the words around it are the chart's accessible form. */
export default function TimeSeries({ drawing, points, series, syncId }: TimeSeriesProps) {
  const drawn = series.filter(({ wordsOnly }) => !wordsOnly);
  const format = drawn[0]?.format ?? formatCount;
  return (
    <ResponsiveContainer width="100%" height={plotHeight}>
      <ComposedChart
        data={points}
        accessibilityLayer={false}
        // On a phone a gap would be wider than its bars.
        barCategoryGap={points.length > manyBars ? 0 : 1}
        margin={{ top: 8, right: 0, bottom: 0, left: 0 }}
        {...(syncId === undefined ? {} : { syncId })}
      >
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="label"
          scale="band"
          interval="preserveStartEnd"
          minTickGap={40}
          tickLine={false}
          axisLine={{ stroke: "var(--line)" }}
          tick={axisText}
        />
        <YAxis
          width={axisWidth}
          allowDecimals={drawing === "lines"}
          tickLine={false}
          axisLine={false}
          tick={axisText}
          tickFormatter={(value: number) => (value === 0 ? "0" : format(value))}
        />
        <Tooltip
          cursor={drawing === "bars" ? { fill: "var(--hover)" } : { stroke: "var(--ink-3)" }}
          isAnimationActive={false}
          content={({ active, payload }) => {
            const point = payload[0]?.payload as ChartPoint | undefined;
            return active && point ? <Values point={point} series={series} /> : null;
          }}
        />
        {drawn.map(({ key, color, dash }) =>
          drawing === "bars" ? (
            <Bar key={key} dataKey={`values.${key}`} stackId="all" fill={color} isAnimationActive={false} />
          ) : (
            <Line
              key={key}
              dataKey={`values.${key}`}
              type="linear"
              stroke={color}
              strokeWidth={1.5}
              {...(dash === undefined ? {} : { strokeDasharray: dash })}
              dot={(dot: { index: number; cx?: number; cy?: number }) => (
                <LonePoint key={dot.index} {...dot} points={points} series={key} color={color} />
              )}
              activeDot={{ r: 3, fill: color, stroke: "var(--canvas)" }}
              isAnimationActive={false}
            />
          ),
        )}
      </ComposedChart>
    </ResponsiveContainer>
  );
}

/** What stands at the crosshair. */
function Values({ point, series }: { point: ChartPoint; series: ChartSeries[] }) {
  return (
    <div className="rounded-md border border-line bg-raised px-2.5 py-1.5 text-ink text-xs shadow-popup">
      <p className="mb-0.5 font-medium">{point.label}</p>
      {series.map(({ key, name, format = formatCount }) => {
        const value = point.values[key] ?? null;
        return (
          <p key={key} className="flex justify-between gap-4">
            <span className="text-ink-2">{name}</span>
            {value === null ? "–" : format(value)}
          </p>
        );
      })}
    </div>
  );
}

type LonePointProps = {
  points: ChartPoint[];
  series: string;
  color: string;
  index: number;
  cx?: number;
  cy?: number;
};

/** A value between two gaps, of which no line would tell. */
function LonePoint({ points, series, color, index, cx, cy }: LonePointProps) {
  const isThere = (at: number) => (points[at]?.values[series] ?? null) !== null;
  if (!isThere(index) || isThere(index - 1) || isThere(index + 1)) return null;
  return <circle cx={cx} cy={cy} r={2} fill={color} />;
}
