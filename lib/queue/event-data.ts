import { textArray } from "#lib/db/arrays.ts";
import type { Queryable } from "#lib/db/database.ts";
import { checkData } from "#lib/delivery/catalogue.ts";
import { loadEventTypeRules } from "./event-type-rules.ts";

type EventKey = { event_id: string; received_at: Date };

/** Events whose data are in memory at once: each may have 1 MiB. */
const loadedAtOnce = 100;

/**
 * Of events that nothing has held against the catalogue yet, the ids of those whose data their type refuses. Reads data
 * only of types that have something to check and refuse by it.
 */
export async function findInvalid(
  db: Queryable,
  events: (EventKey & { type: string })[],
): Promise<Set<string>> {
  const invalid = new Set<string>();
  if (events.length === 0) return invalid;
  const rules = await loadEventTypeRules(db, [...new Set(events.map((event) => event.type))]);
  const doubtful = events.flatMap((event) => {
    const type = rules.get(event.type);
    return type?.invalidData === "refuse" && type.fields.length > 0
      ? [{ ...event, fields: type.fields }]
      : [];
  });
  for (let from = 0; from < doubtful.length; from += loadedAtOnce) {
    const some = doubtful.slice(from, from + loadedAtOnce);
    const data = await loadData(db, some);
    for (const { event_id: id, fields } of some) {
      const text = data.get(id);
      if (text !== undefined && checkData(text, fields).length > 0) invalid.add(id);
    }
  }
  return invalid;
}

/** The JSON text of the events' data by event id. Keep the number of events small: nothing bounds what they hold. */
async function loadData(db: Queryable, events: EventKey[]): Promise<Map<string, string>> {
  const times = events.map((event) => event.received_at.getTime());
  const { rows } = await db.query<{ event_id: string; data: Buffer }>({
    name: "load_data",
    // The span of time says which partitions to open, whatever the statistics are.
    text: `select event_id, data from posthorn.event_bodies
      where received_at between $1 and $2 and event_id = any($3::text[])`,
    values: [
      new Date(Math.min(...times)),
      new Date(Math.max(...times)),
      textArray(events.map((event) => event.event_id)),
    ],
  });
  return new Map(rows.map((row) => [row.event_id, row.data.toString("utf8")]));
}
