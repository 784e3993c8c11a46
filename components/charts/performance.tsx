"use client";

import type { HistoryScope } from "#lib/stats/client.ts";
import { LatencyHistory } from "./latency-history.tsx";
import { OutcomeHistory } from "./outcome-history.tsx";
import { TimeRange, useHistoryRange } from "./time-range.tsx";

/** Latency and outcomes over the page's time range: of one endpoint, or of all that the reader sees. */
export function Performance({ scope }: { scope: HistoryScope }) {
  const [range, setRange] = useHistoryRange();
  return (
    <section aria-label="Performance" className="mb-4 flex flex-col gap-3">
      <TimeRange />
      <LatencyHistory scope={scope} range={range} onRange={setRange} />
      <OutcomeHistory scope={scope} range={range} onRange={setRange} />
    </section>
  );
}
