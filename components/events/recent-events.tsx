"use client";

import { useQuery } from "@tanstack/react-query";
import { useTimeZone } from "#components/layout/preferences.ts";
import { eventListOptions } from "#lib/events/client.ts";
import type { Event } from "#lib/events/schema.ts";
import { formatAbsolute, truncateMiddle } from "#lib/format.ts";

const shownEvents = 20;

type RecentEvents = { events: Event[]; error: Error | null };

/** The affiliate's latest events of these types, newest first; none as long as nobody is chosen. Null: of any type. */
export function useRecentEvents(affiliate: string | null, types: readonly string[] | null): RecentEvents {
  const { data, error } = useQuery({
    ...eventListOptions({ affiliate: affiliate ?? "", limit: 100 }),
    enabled: affiliate !== null,
  });
  const events = (data?.data ?? []).filter(({ type }) => types === null || types.includes(type));
  return { events: events.slice(0, shownEvents), error };
}

/** One of them as an entry of a select. */
export function useEventWords(): (event: Event) => string {
  const timeZone = useTimeZone();
  return ({ id, type, occurred_at }) =>
    `${type}, ${formatAbsolute(occurred_at, timeZone)}, ${truncateMiddle(id, 24)}`;
}
