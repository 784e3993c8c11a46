"use client";

import { FormChip } from "#components/data-table/filter-bar.tsx";
import { useTimeZone } from "#components/layout/preferences.ts";
import { formatAbsolute } from "#lib/format.ts";
import { TimeFilter } from "./time-filter.tsx";

export type Span = { from: string | null; to: string | null };

const hourMs = 3_600_000;
const lately = [
  { label: "Last hour", spanMs: hourMs },
  { label: "Last 24 hours", spanMs: 24 * hourMs },
  { label: "Last 7 days", spanMs: 7 * 24 * hourMs },
];

/** A span of time as one filter. */
export function TimeChip({ from, to, onChange }: Span & { onChange: (span: Span) => void }) {
  const words = useSpanWords({ from, to });
  return (
    <FormChip name="Time" value={words} onRemove={() => onChange({ from: null, to: null })}>
      <div className="flex w-72 flex-col gap-2">
        <div className="flex flex-col">
          {lately.map(({ label, spanMs }) => (
            <button
              key={label}
              type="button"
              onClick={() => onChange({ from: new Date(Date.now() - spanMs).toISOString(), to: null })}
              className="h-7 rounded-md px-2 text-left hover:bg-hover"
            >
              {label}
            </button>
          ))}
        </div>
        <div className="flex flex-col items-end gap-2 border-line border-t pt-2">
          <TimeFilter label="From" iso={from} onChange={(value) => onChange({ from: value, to })} />
          <TimeFilter label="Before" iso={to} onChange={(value) => onChange({ from, to: value })} />
        </div>
      </div>
    </FormChip>
  );
}

/** The span with its zone; null for all times. */
export function useSpanWords({ from, to }: Span): string | null {
  const timeZone = useTimeZone();
  const words = (iso: string) => (Number.isNaN(Date.parse(iso)) ? iso : formatAbsolute(iso, timeZone));
  const parts = [from && `from ${words(from)}`, to && `before ${words(to)}`].filter(Boolean);
  return parts.length > 0 ? parts.join(" and ") : null;
}
