"use client";

import { useClockText } from "#components/layout/clock.tsx";
import { formatSpan } from "#lib/format.ts";
import type { Overview } from "#lib/stats/schema.ts";
import { Tile } from "./tile.tsx";

/** How long the oldest of what could go out has been due, and whether something is later than any retry would be. */
export function OldestWaiting({
  overview: { oldest_waiting_at: oldest, past_retry_window: isLate },
}: {
  overview: Pick<Overview, "oldest_waiting_at" | "past_retry_window">;
}) {
  const age = useClockText((nowMs) => (oldest === null ? "–" : formatSpan(nowMs - Date.parse(oldest))));
  const note = isLate ? "older than its longest retry window" : "since it was due, held ones apart";
  return (
    <Tile
      href="/queue"
      label="Oldest waiting"
      value={age}
      note={oldest === null ? "nothing that may go is due" : note}
      alarming={isLate}
    />
  );
}
