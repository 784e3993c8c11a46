import type { Queryable } from "#lib/db/database.ts";

export const discardBatchSize = 1_000;

/**
 * Discards what still waits for deleted endpoints, a batch at a time; call again while it returns as many.
 * In the background, since an endpoint may have a million waiting. What is in flight ends on its own.
 */
export async function discardForDeletedEndpoints(db: Queryable): Promise<number> {
  const { rowCount } = await db.query({
    name: "discard_deleted",
    text: `update posthorn.deliveries
      set state = 'discarded', reason = 'endpoint_deleted', blocked = false, ended_at = now()
      where id = any(array(
        select w.id from posthorn.endpoints e, lateral (
          select id from posthorn.deliveries
          where endpoint_id = e.id and state in ('pending', 'failed') and not blocked
          order by next_attempt_at, id limit ${discardBatchSize} for update skip locked) w
        where e.deleted_at is not null limit ${discardBatchSize}))`,
  });
  return rowCount ?? 0;
}
