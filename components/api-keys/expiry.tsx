"use client";

import { useClockText } from "#components/layout/clock.tsx";
import { useTimeZone } from "#components/layout/preferences.ts";
import { formatAbsolute, formatUpcoming } from "#lib/format.ts";

/** When a key ends by itself. */
export function Expiry({ iso }: { iso: string | null }) {
  const timeZone = useTimeZone();
  const text = useClockText((nowMs) => (iso === null ? "Never" : formatUpcoming(iso, nowMs, timeZone)));
  if (iso === null) return <span className="text-ink-2">{text}</span>;
  return (
    <time dateTime={iso} title={formatAbsolute(iso, timeZone)} className="text-ink-2">
      {text}
    </time>
  );
}
