import type { Queryable } from "#lib/db/database.ts";

/** How many of an endpoint's latest audit rows are looked at: far more than a minute has. */
const rowsLookedAt = 1_000;

/**
 * The database's time, the live tests of the endpoint in the minute before it, in whatever process, and how many
 * seconds until the first of them is a minute old.
 */
export async function selectRecentTests(
  db: Queryable,
  endpointId: string,
): Promise<{ nowMs: number; count: number; nextInSeconds: number }> {
  const { rows } = await db.query<{ now_ms: number; count: number; next_in: number | null }>({
    text: `select extract(epoch from now())::float8 * 1000 as now_ms, count(at)::int as count,
        extract(epoch from min(at) + interval '1 minute' - now())::float8 as next_in
      from (select at, action, after from posthorn.audit_log
        where object_kind = 'endpoint' and object_id = $1 order by id desc limit ${rowsLookedAt}) latest
      where action = 'endpoint.test' and after -> 'live' = 'true' and at > now() - interval '1 minute'`,
    values: [endpointId],
  });
  const [row] = rows;
  if (!row) throw new Error("an aggregate has always one row");
  return { nowMs: row.now_ms, count: row.count, nextInSeconds: Math.ceil(row.next_in ?? 0) };
}

/** Lets one test of an endpoint at a time be counted and written down, until the transaction ends. */
export async function lockTests(db: Queryable, endpointId: string): Promise<void> {
  await db.query("select pg_advisory_xact_lock(hashtextextended('posthorn.endpoint_test.' || $1, 0))", [
    endpointId,
  ]);
}
