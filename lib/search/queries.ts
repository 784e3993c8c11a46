import { type SQL, sql } from "drizzle-orm";
import { byteaArray } from "#lib/db/arrays.ts";
import type { Queryable } from "#lib/db/database.ts";
import { hashesIn } from "./schema.ts";

/** A value that more events have is no key to anything; the newest are shown. */
const maxEvents = 1_000;

/**
 * The newest events that a hash names, latest first: for each of its keys one descent of search_keys_key in every
 * month, merged. `$1`: the keys.
 */
const foundEvents = `select found.event_id, found.received_at from unnest($1::bytea[]) sought (key) cross join lateral (
    select k.event_id, k.received_at from posthorn.search_keys k
    where k.key = sought.key order by k.received_at desc limit ${maxEvents}) found
  order by found.received_at desc limit ${maxEvents}`;

const keysOf = (hash: string) => byteaArray(hashesIn(hash).map((digits) => Buffer.from(digits, "hex")));

/** The ids of the newest 1,000 events that the hash names, as an array. */
export function eventIdsByHash(hash: string): SQL {
  const [before, after] = foundEvents.split("$1") as [string, string];
  return sql`array(select event_id from (${sql.raw(before)}${keysOf(hash)}${sql.raw(after)}) found)`;
}

/** How many events the hash names, up to 1,000, the latest of them, and whether any has a delivery. */
export async function selectFoundByHash(
  db: Queryable,
  hash: string,
): Promise<{ events: number; latest: string | null; delivered: boolean }> {
  const { rows } = await db.query<{ events: number; latest: string | null; delivered: boolean }>({
    text: `with found as materialized (${foundEvents})
      select (select count(*)::int from found) as events, (select event_id from found limit 1) as latest,
        exists (select from found cross join lateral (
          select from posthorn.deliveries d where d.event_id = found.event_id limit 1) delivery) as delivered`,
    values: [keysOf(hash)],
  });
  return rows[0] as { events: number; latest: string | null; delivered: boolean };
}
