"use client";

import { createContext, type ReactNode, useContext, useSyncExternalStore } from "react";

const RenderedAt = createContext(0);

/** `renderedAtMs` is the server's time: the first render in the browser repeats it, so that both agree. */
export function ClockProvider({ renderedAtMs, children }: { renderedAtMs: number; children: ReactNode }) {
  return <RenderedAt value={renderedAtMs}>{children}</RenderedAt>;
}

const listeners = new Set<() => void>();
let nowMs = 0;
let timer: ReturnType<typeof setInterval> | undefined;

function tick() {
  nowMs = Date.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  timer ??= setInterval(tick, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    nowMs = 0;
  };
}

/** One clock for the page, ticking once a second; a component renders again only when its text changes. */
export function useClockText(format: (nowMs: number) => string): string {
  const renderedAtMs = useContext(RenderedAt);
  return useSyncExternalStore(
    subscribe,
    () => {
      nowMs ||= Date.now();
      return format(nowMs);
    },
    () => format(renderedAtMs),
  );
}
