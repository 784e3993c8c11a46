import type { EndpointActivity } from "#lib/endpoints/schema.ts";
import { formatCount, formatNoun } from "#lib/format.ts";

const height = 20;
const barWidth = 2;
const step = 3;
/** So that an hour with few attempts, or few failures among many, is still seen. */
const leastHeight = 2;

/** 24 hours of attempts as bars, the failed ones at their foot; the words are for those who cannot see it. */
export function DaySpark({ hours }: { hours: EndpointActivity["hours"] }) {
  const most = Math.max(1, ...hours.map(({ attempts }) => attempts));
  const tall = (n: number) => (n === 0 ? 0 : Math.max(leastHeight, (n / most) * height));
  return (
    <span className="inline-flex align-middle" title={sparkWords(hours)}>
      <span className="sr-only">{sparkWords(hours)}</span>
      <svg aria-hidden="true" width={hours.length * step} height={height} className="block">
        {hours.map(({ attempts, delivered }, hour) => {
          const failed = Math.min(tall(attempts - delivered), height);
          const all = Math.max(tall(attempts), failed);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: an hour is its place
            <g key={hour}>
              <rect x={hour * step} y={height - 1} width={barWidth} height={1} fill="var(--line)" />
              <rect x={hour * step} y={height - all} width={barWidth} height={all} fill="var(--chart-ok)" />
              <rect
                x={hour * step}
                y={height - failed}
                width={barWidth}
                height={failed}
                fill="var(--chart-bad)"
              />
            </g>
          );
        })}
      </svg>
    </span>
  );
}

function sparkWords(hours: EndpointActivity["hours"]): string {
  const { attempts, failed } = dayTotals(hours);
  return `${formatNoun(attempts, "attempt")} in 24 h, ${failed === 0 ? "none failed" : `${formatCount(failed)} of them failed`}`;
}

/** All 24 hours together. */
export function dayTotals(hours: EndpointActivity["hours"]): { attempts: number; failed: number } {
  const attempts = hours.reduce((sum, hour) => sum + hour.attempts, 0);
  return { attempts, failed: attempts - hours.reduce((sum, hour) => sum + hour.delivered, 0) };
}
