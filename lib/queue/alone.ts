import type pg from "pg";
import { inClientTransaction } from "#lib/db/database.ts";

/**
 * Runs `work` unless another worker is at it. Its transaction holds the lock and nothing else: the work commits
 * slice by slice on other connections, so that it never holds vacuum back.
 */
export function alone(pool: pg.Pool, lock: string, work: () => Promise<number>): Promise<number> {
  return inClientTransaction(pool, async (client) => {
    const { rows } = await client.query<{ mine: boolean }>(
      "select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as mine",
      [lock],
    );
    return rows[0]?.mine ? work() : 0;
  });
}
