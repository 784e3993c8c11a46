"use client";

import { formatAbsolute, formatRelative } from "#lib/format.ts";
import { useClockText } from "./clock.tsx";
import { useTimeZone } from "./preferences.ts";

/** `3 min ago`, with the exact time and its zone in the title. */
export function RelativeTime({ iso, className }: { iso: string; className?: string }) {
  const text = useClockText((nowMs) => formatRelative(iso, nowMs));
  const timeZone = useTimeZone();
  return (
    <time dateTime={iso} title={formatAbsolute(iso, timeZone)} className={className}>
      {text}
    </time>
  );
}

/** The exact time with its zone, and how long ago that is. */
export function ExactTime({ iso, className }: { iso: string; className?: string }) {
  const timeZone = useTimeZone();
  const relative = useClockText((nowMs) => formatRelative(iso, nowMs));
  return (
    <time dateTime={iso} className={className}>
      <span className="mr-1.5">{formatAbsolute(iso, timeZone)}</span>
      <span className="inline-block text-ink-3">{relative}</span>
    </time>
  );
}
