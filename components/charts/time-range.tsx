"use client";

import { useQueryStates } from "nuqs";
import { TimeFilter } from "#components/filters/time-filter.tsx";
import type { HistoryTimes } from "#lib/stats/client.ts";
import { type HistoryRange, historyRanges, rangeMs } from "#lib/stats/schema.ts";
import { historyParams, historyTimes } from "./history-params.ts";

const labels = {
  "1h": "1 h",
  "24h": "24 h",
  "7d": "7 d",
  "30d": "30 d",
} satisfies Record<HistoryRange, string>;

/** The page's time range, and how to change it; each change is a step that the browser's back undoes. */
export function useHistoryRange(): [HistoryTimes, (times: HistoryTimes) => void] {
  const [params, setParams] = useQueryStates(historyParams, { history: "push" });
  return [
    historyTimes(params),
    ({ range, from, to }) => void setParams({ range: range ?? null, from: from ?? null, to: to ?? null }),
  ];
}

const segment =
  "inline-flex h-6 items-center justify-center rounded px-2 text-ink-2 text-xs hover:text-ink aria-pressed:bg-hover aria-pressed:font-medium aria-pressed:text-ink";

/** One control for all charts of a page. */
export function TimeRange() {
  const [{ range, from, to }, setRange] = useHistoryRange();
  const choose = () => {
    if (range === undefined) return;
    const now = Date.now();
    setRange({
      from: new Date(now - rangeMs[range]).toISOString(),
      to: new Date(now).toISOString(),
    });
  };
  const change = (times: { from?: string | null; to?: string | null }) => {
    const chosen = { from: from ?? null, to: to ?? null, ...times };
    setRange({
      ...(chosen.from === null ? {} : { from: chosen.from }),
      ...(chosen.to === null ? {} : { to: chosen.to }),
    });
  };
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <fieldset className="flex rounded-md border border-line p-0.5">
        <legend className="sr-only">Time range</legend>
        {historyRanges.map((value) => (
          <button
            key={value}
            type="button"
            aria-pressed={range === value}
            onClick={() => setRange({ range: value })}
            className={segment}
          >
            <span className="sr-only">Last </span>
            {labels[value]}
          </button>
        ))}
        <button type="button" aria-pressed={range === undefined} onClick={choose} className={segment}>
          Chosen
        </button>
      </fieldset>
      {range === undefined ? (
        <>
          <TimeFilter label="From" iso={from ?? null} onChange={(value) => change({ from: value })} />
          <TimeFilter label="To" iso={to ?? null} onChange={(value) => change({ to: value })} />
        </>
      ) : null}
    </div>
  );
}
