import { plainArray } from "#lib/db/arrays.ts";
import type { Queryable } from "#lib/db/database.ts";

/**
 * Which of these endpoints were paused, disabled or deleted, are held after a 429, or have their breaker open: what a
 * worker has claimed for them and not yet sent is to go back. One whose probe is under way is not among them: the probe may be ours.
 */
export async function stoppedAmong(db: Queryable, endpointIds: readonly string[]): Promise<string[]> {
  if (endpointIds.length === 0) return [];
  const { rows } = await db.query<{ id: string }>({
    name: "stopped_among",
    text: `select e.id from posthorn.endpoints e join posthorn.endpoint_health h on h.endpoint_id = e.id
      where e.id = any($1::uuid[])
        and (e.status <> 'active' or e.deleted_at is not null or h.breaker = 'open' or h.hold_until > now())`,
    values: [plainArray(endpointIds)],
  });
  return rows.map((row) => row.id);
}
