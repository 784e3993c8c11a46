"use client";

import { useClockText } from "#components/layout/clock.tsx";
import { useTimeZone } from "#components/layout/preferences.ts";
import { type PlainHealth, plainHealth } from "#lib/endpoints/plain-health.ts";
import type { Endpoint } from "#lib/endpoints/schema.ts";

/** Told anew only when the words change. */
export function usePlainHealth(endpoint: Endpoint): PlainHealth {
  const timeZone = useTimeZone();
  return JSON.parse(useClockText((nowMs) => JSON.stringify(plainHealth(endpoint, nowMs, timeZone))));
}

export function HealthWords({ health }: { health: PlainHealth }) {
  return (
    <div className="flex max-w-prose flex-col gap-0.5">
      <p className={health.needsOwner ? "font-medium" : ""}>{health.sentence}</p>
      {health.fix === null ? null : <p className="text-ink-2">{health.fix}</p>}
      {health.next === null ? null : <p className="text-ink-2">{health.next}</p>}
    </div>
  );
}
