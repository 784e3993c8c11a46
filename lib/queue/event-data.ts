import { textArray } from "#lib/db/arrays.ts";
import type { Queryable } from "#lib/db/database.ts";

/** Bytes of data in memory at once: one event may have 1 MiB. */
export const loadedBytes = 8_388_608;
/** Events whose size nobody has noted. */
export const loadedAtOnce = 100;

export type EventData = { text: string; occurredAtMs: number };

/** The events' data by event id. Keep the number of events small: nothing bounds what they hold. */
export async function loadData(
  db: Queryable,
  events: readonly { event_id: string; received_at: Date }[],
): Promise<Map<string, EventData>> {
  if (events.length === 0) return new Map();
  const times = events.map((event) => event.received_at.getTime());
  const { rows } = await db.query<{ event_id: string; occurred_ms: number; data: Buffer }>({
    name: "load_data",
    // The span of time says which partitions to open, whatever the statistics are.
    text: `select event_id, extract(epoch from occurred_at)::float8 * 1000 as occurred_ms, data
      from posthorn.event_bodies where received_at between $1 and $2 and event_id = any($3::text[])`,
    values: [
      new Date(Math.min(...times)),
      new Date(Math.max(...times)),
      textArray(events.map((event) => event.event_id)),
    ],
  });
  return new Map(
    rows.map((row) => [
      row.event_id,
      { text: row.data.toString("utf8"), occurredAtMs: Math.round(row.occurred_ms) },
    ]),
  );
}
