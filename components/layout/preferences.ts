"use client";

import { useSyncExternalStore } from "react";
import { ApiError } from "#lib/api/fetcher.ts";

/** What one browser remembers about how pages are shown. */
type Preferences = { zone: "local" | "utc"; liveSeconds: number };

export const liveChoicesSeconds = [2, 5, 15, 60, 0];

const defaults: Preferences = { zone: "local", liveSeconds: 5 };
/** The server cannot know the reader's zone, so what it renders is in UTC. */
const serverDefaults: Preferences = { ...defaults, zone: "utc" };
const storageKey = "posthorn-preferences";

const listeners = new Set<() => void>();
let current: Preferences | null = null;

function read(): Preferences {
  if (current) return current;
  let stored: Partial<Preferences> = {};
  try {
    stored = JSON.parse(localStorage.getItem(storageKey) ?? "{}");
  } catch {
    // Storage is blocked or holds nonsense: the defaults do.
  }
  current = {
    zone: stored.zone === "utc" ? "utc" : "local",
    liveSeconds: liveChoicesSeconds.includes(stored.liveSeconds ?? -1)
      ? (stored.liveSeconds ?? 0)
      : defaults.liveSeconds,
  };
  return current;
}

export function setPreferences(change: Partial<Preferences>): void {
  current = { ...read(), ...change };
  try {
    localStorage.setItem(storageKey, JSON.stringify(current));
  } catch {
    // Then the choice lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, read, () => serverDefaults);
}

/** The IANA zone to format in; undefined is the browser's own. */
export function useTimeZone(): string | undefined {
  return usePreferences().zone === "utc" ? "UTC" : undefined;
}

type Polled = { state: { error: Error | null } };

/**
 * For `refetchInterval`. TanStack Query pauses by itself while the page is hidden; what does not exist, or took the
 * database too long, is not asked for again.
 */
export function useLiveInterval(): (query: Polled) => number | false {
  const { liveSeconds } = usePreferences();
  return ({ state: { error } }) => {
    const isFinal = error instanceof ApiError && (error.status === 404 || error.code === "database_timeout");
    return liveSeconds === 0 || isFinal ? false : liveSeconds * 1_000;
  };
}
