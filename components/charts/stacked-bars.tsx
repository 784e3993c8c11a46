"use client";

import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { formatCount } from "#lib/format.ts";
import type { ChartPoint, ChartSeries } from "./chart.tsx";

/** The drawing alone: the words around it are the chart's accessible form. */
export default function StackedBars({ points, series }: { points: ChartPoint[]; series: ChartSeries[] }) {
  return (
    <ResponsiveContainer width="100%" height={176}>
      <BarChart
        data={points}
        accessibilityLayer={false}
        barCategoryGap={1}
        margin={{ top: 8, right: 0, bottom: 0, left: 0 }}
      >
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="label"
          interval="preserveStartEnd"
          minTickGap={48}
          tickLine={false}
          axisLine={{ stroke: "var(--line)" }}
          tick={{ fill: "var(--ink-3)", fontSize: 11 }}
        />
        <YAxis
          width={44}
          allowDecimals={false}
          tickLine={false}
          axisLine={false}
          tick={{ fill: "var(--ink-3)", fontSize: 11 }}
          tickFormatter={formatCount}
        />
        <Tooltip
          cursor={{ fill: "var(--hover)" }}
          isAnimationActive={false}
          contentStyle={{
            background: "var(--raised)",
            border: "1px solid var(--line)",
            borderRadius: 6,
            color: "var(--ink)",
            fontSize: 12,
          }}
          itemStyle={{ color: "var(--ink)", padding: 0 }}
          formatter={(value) => formatCount(Number(value))}
        />
        {series.map(({ key, name, color }) => (
          <Bar
            key={key}
            dataKey={`values.${key}`}
            name={name}
            stackId="all"
            fill={color}
            isAnimationActive={false}
          />
        ))}
      </BarChart>
    </ResponsiveContainer>
  );
}
