import type pg from "pg";

/** Tables that grow with traffic or time; their partitions are counted with them. */
export const growingTables = [
  "attempt_responses",
  "audit_log",
  "deliveries",
  "delivery_attempts",
  "delivery_minutes",
  "delivery_requests",
  "endpoint_latency",
  "endpoint_latency_days",
  "event_bodies",
  "event_keys",
  "events",
  "search_keys",
] as const;
/** A partition with fewer rows, as today's has after midnight, is read soonest from end to end. */
const fewRows = 1_000;

export type Scans = Record<
  (typeof growingTables)[number],
  { sequential: number; byIndex: number; rows: number }
>;

/**
 * How often each growing table has been read from end to end and through an index, since its statistics began, as
 * PostgreSQL counts it; a process tells of its reads when it ends, or seconds later. `rows`: that it is thought to hold.
 */
export async function readScans(pool: pg.Pool): Promise<Scans> {
  const { rows } = await pool.query<{ table: string; sequential: string; by_index: string; rows: string }>(
    `select regexp_replace(relname, '_(default|[0-9]{8})$', '') as table, coalesce(sum(seq_scan) filter (where n_live_tup >= ${fewRows}), 0) as sequential,
       sum(coalesce(idx_scan, 0)) as by_index, sum(n_live_tup) as rows
     from pg_stat_user_tables where schemaname = 'posthorn' group by 1`,
  );
  const byTable = new Map(rows.map((row) => [row.table, row]));
  return Object.fromEntries(
    growingTables.map((table) => {
      const row = byTable.get(table);
      return [
        table,
        { sequential: Number(row?.sequential), byIndex: Number(row?.by_index), rows: Number(row?.rows) },
      ];
    }),
  ) as Scans;
}

/** What was read between two of them. */
export function scansBetween(before: Scans, after: Scans): Scans {
  return Object.fromEntries(
    growingTables.map((table) => [
      table,
      {
        sequential: after[table].sequential - before[table].sequential,
        byIndex: after[table].byIndex - before[table].byIndex,
        rows: after[table].rows,
      },
    ]),
  ) as Scans;
}
