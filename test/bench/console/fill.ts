import type pg from "pg";

export type Sizes = {
  deliveries: number;
  endpoints: number;
  affiliates: number;
  /** Endpoints of the first affiliate; each of the others has two at least. */
  largest: number;
  deadLetters: number;
  auditEntries: number;
  /** Over which events came, up to now; bodies and answers are there of the latest 30. */
  days: number;
  /** Of the roll-ups by the hour and by the day. */
  latencyDays: number;
};

export type Seeding = { pool: pg.Pool; sizes: Sizes; log: (line: string) => void };

export async function timed<T>(
  { log }: Pick<Seeding, "log">,
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  log(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(7)} s  ${what}`);
  return result;
}

/** Fills a table without its secondary indexes and makes these afterwards, which takes a fraction of the time. */
export async function filled(
  seeding: Seeding,
  { table, insert }: { table: string; insert: string },
): Promise<void> {
  const client = await seeding.pool.connect();
  try {
    await client.query("set maintenance_work_mem = '512MB'; set work_mem = '256MB'; set jit = off");
    const { rows } = await client.query<{ name: string; made: string }>(
      `select indexrelid::regclass::text as name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as made
       from pg_index i where indrelid = $1::regclass
         and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
      [`posthorn.${table}`],
    );
    for (const { name } of rows) await client.query(`drop index ${name}`);
    await timed(seeding, table, () => client.query(insert));
    await timed(seeding, `${rows.length} indexes of ${table}`, async () => {
      for (const { made } of rows) await client.query(made);
    });
  } finally {
    client.release(true);
  }
}

/** SQL for a number from 0 up to 1, always the same one for `n`; each `salt` makes another. */
export function random(n: string, salt: number): string {
  return `((hashint8extended((${n})::bigint, ${salt}) & 1048575) / 1048576.0::float8)`;
}

/** SQL for the id of the n-th of some kind of record; they rise with n. */
export function idOf(kind: "affiliate" | "endpoint" | "user" | "apiKey" | "requeue", n: string): string {
  const first = { affiliate: "018e", endpoint: "018f", user: "0190", apiKey: "0191", requeue: "0192" }[kind];
  return `('${first}0000-0000-7000-8000-' || lpad(to_hex((${n})::bigint), 12, '0'))::uuid`;
}
