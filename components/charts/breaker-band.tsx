import type { BreakerTrack } from "#lib/stats/schema.ts";
import { type BreakerState, breakerStates } from "#lib/vocabulary.ts";
import { axisWidth } from "./plot.ts";

/** Told apart by shape too: full height, stripes, a thin line. */
const looks = {
  closed: "top-1 h-0.5 bg-chart-ok",
  half_open: "inset-y-0 bg-stripes",
  open: "inset-y-0 bg-chart-bad",
} satisfies Record<BreakerState, string>;

const words = {
  closed: "closed",
  half_open: "half open",
  open: "open",
} satisfies Record<BreakerState, string>;

type BreakerBandProps = { breaker: BreakerTrack; from: string; to: string };

/** The breaker's states along the plot's time. What it shows is in the chart's summary too. */
export function BreakerBand({ breaker, from, to }: BreakerBandProps) {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const part = (ms: number) => `${(100 * ms) / (toMs - fromMs)}%`;
  return (
    <div aria-hidden className="mt-2 text-ink-3 text-xs">
      <div className="flex items-center">
        <span className="shrink-0 truncate pr-1" style={{ width: axisWidth }}>
          Breaker
        </span>
        <div className="relative h-2.5 flex-1 overflow-hidden">
          {breaker.spans.map((span) => (
            <span
              key={span.from}
              className={`absolute min-w-0.5 ${looks[span.state]}`}
              style={{
                left: part(Date.parse(span.from) - fromMs),
                width: part(Date.parse(span.to) - Date.parse(span.from)),
              }}
            />
          ))}
        </div>
      </div>
      <ul className="mt-1 flex gap-4" style={{ marginLeft: axisWidth }}>
        {breakerStates.map((state) => (
          <li key={state} className="flex items-center gap-1.5">
            <span className="relative inline-block h-2.5 w-3.5">
              <span className={`absolute inset-x-0 ${looks[state]}`} />
            </span>
            {words[state]}
          </li>
        ))}
      </ul>
    </div>
  );
}
