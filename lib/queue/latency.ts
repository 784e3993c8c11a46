import { plainArray, textArray } from "#lib/db/arrays.ts";
import type { Queryable } from "#lib/db/database.ts";
import type { LatencyHistogram } from "#lib/delivery/latency.ts";
import { storedOutcomes } from "#lib/delivery/outcome-class.ts";
import type { LatencyResolution, OutcomeClass } from "#lib/vocabulary.ts";

/** What one worker settled for one endpoint or affiliate, or for all, in one minute or hour. */
export type LatencyRow = {
  subjectId: string;
  resolution: LatencyResolution;
  bucketAtMs: number;
  outcomes: Record<OutcomeClass, number>;
  histogram: LatencyHistogram;
};

/** Rows a statement writes. */
export const latencyBatchSize = 250;
export const latencyRollUpSize = 500;
export const latencyTrimSize = 5_000;

/** Minutes are for the last hour's chart and flags, all else for charts: a minute costs as much as raw samples. */
const keptFor = { minute: "3 hours", hour: "90 days", day: "90 days" };

const countColumns = ["attempts", ...storedOutcomes];
const counted = countColumns.join(", ");
const summedUp = countColumns.map((name) => `sum(${name})::int as ${name}`).join(", ");

/** The rows of `l` with one row for each bucket: `bucket` and `n`. */
export const bucketsOf = "unnest(l.buckets, l.counts) as b (bucket, n)";
/** To be grouped: one histogram's columns out of such rows. */
export const gathered =
  "array_agg(bucket order by bucket) as buckets, array_agg(n order by bucket) as counts";

/**
 * Writes what a worker has counted so far, in place of what it wrote of the same minutes and hours before. So it
 * is safe to repeat, and only this worker's own rows are touched.
 */
export async function writeLatency(
  db: Queryable,
  { workerId, rows }: { workerId: string; rows: readonly LatencyRow[] },
): Promise<void> {
  const attempts = (row: LatencyRow) => Object.values(row.outcomes).reduce((sum, n) => sum + n, 0);
  await db.query({
    name: "write_latency",
    text: `
insert into posthorn.endpoint_latency
  (resolution, bucket_at, endpoint_id, worker_id, ${counted}, buckets, counts)
select resolution, to_timestamp(at_ms / 1000), endpoint_id, $1, ${counted}, buckets::smallint[], counts::int[]
from unnest($2::posthorn.latency_resolution[], $3::float8[], $4::uuid[], $5::text[], $6::text[],
    ${countColumns.map((_, i) => `$${i + 7}::int[]`).join(", ")})
  as r (resolution, at_ms, endpoint_id, buckets, counts, ${counted})
on conflict (resolution, bucket_at, endpoint_id, worker_id) do update set written_at = now(),
  ${[...countColumns, "buckets", "counts"].map((name) => `${name} = excluded.${name}`).join(", ")}`,
    values: [
      workerId,
      plainArray(rows.map((row) => row.resolution)),
      plainArray(rows.map((row) => row.bucketAtMs)),
      plainArray(rows.map((row) => row.subjectId)),
      textArray(rows.map((row) => plainArray(row.histogram.buckets))),
      textArray(rows.map((row) => plainArray(row.histogram.counts))),
      plainArray(rows.map(attempts)),
      ...storedOutcomes.map((name) => plainArray(rows.map((row) => row.outcomes[name]))),
    ],
  });
}

/** Sums the rows of `source` by `key`: `<name>_total` for the counts, `<name>_merged` for the histograms. */
const sumsOf = (name: string, { source, key }: { source: string; key: string }) => `${name}_total as (
  select ${key}, ${summedUp} from ${source} group by ${key}
), ${name}_merged as (
  select ${key}, ${gathered} from (
    select ${key}, bucket, sum(n)::int as n from ${source} l, ${bucketsOf} group by ${key}, bucket
  ) summed group by ${key}
)`;

const whatIsCounted = `${counted}, buckets, counts`;

/**
 * Makes one row out of the workers' rows of hours that ended over ten minutes ago, when every worker has written
 * its last, and adds them to their day: 90 days then cost the same for any number of workers. Call again while it
 * returns a whole batch. Safe in several workers at once: whoever finds the rows gone adds nothing, and a row that
 * somebody else has made meanwhile fails the whole statement, to be tried again.
 */
export async function rollUpLatency(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ n: number }>({
    name: "roll_up_latency",
    text: `
with ended as (
  select bucket_at, endpoint_id from posthorn.endpoint_latency
  where resolution = 'hour' and bucket_at >= now() - interval '1 day'
    and bucket_at < date_trunc('hour', now() - interval '10 minutes', 'UTC') and worker_id <> 0
  group by bucket_at, endpoint_id order by bucket_at, endpoint_id limit ${latencyRollUpSize}
), gone as (
  delete from posthorn.endpoint_latency l using ended e
  where l.resolution = 'hour' and l.bucket_at = e.bucket_at and l.endpoint_id = e.endpoint_id
  returning l.worker_id, l.bucket_at, l.endpoint_id, ${columnsOf("l")}
), ${sumsOf("hour", { source: "gone", key: "bucket_at, endpoint_id" })}, stored as (
  insert into posthorn.endpoint_latency (resolution, bucket_at, endpoint_id, worker_id, ${whatIsCounted})
  select 'hour', bucket_at, endpoint_id, 0, ${whatIsCounted}
  from hour_total join hour_merged using (bucket_at, endpoint_id)
), fresh as (
  select date_trunc('day', bucket_at, 'UTC') as day, endpoint_id, ${whatIsCounted} from gone where worker_id <> 0
), gone_days as (
  delete from posthorn.endpoint_latency_days d using (select distinct day, endpoint_id from fresh) f
  where d.bucket_at = f.day and d.endpoint_id = f.endpoint_id
  returning d.bucket_at as day, d.endpoint_id, ${columnsOf("d")}
), day_rows as (
  select day, endpoint_id, ${whatIsCounted} from fresh
  union all
  select day, endpoint_id, ${whatIsCounted} from gone_days
), ${sumsOf("day", { source: "day_rows", key: "day, endpoint_id" })}, stored_days as (
  insert into posthorn.endpoint_latency_days (bucket_at, endpoint_id, ${whatIsCounted})
  select day, endpoint_id, ${whatIsCounted} from day_total join day_merged using (day, endpoint_id)
)
select count(*)::int as n from ended`,
  });
  return rows[0]?.n ?? 0;
}

function columnsOf(table: string): string {
  return [...countColumns, "buckets", "counts"].map((name) => `${table}.${name}`).join(", ");
}

/** Deletes rows past their time, a batch at a time; call again while it returns a whole one. */
export async function trimLatency(db: Queryable, resolution: keyof typeof keptFor): Promise<number> {
  const rows =
    resolution === "day"
      ? { table: "endpoint_latency_days", where: "" }
      : { table: "endpoint_latency", where: `resolution = '${resolution}' and ` };
  const { rowCount } = await db.query({
    name: `trim_latency_${resolution}`,
    text: `delete from posthorn.${rows.table} where ctid = any(array(
      select ctid from posthorn.${rows.table}
      where ${rows.where}bucket_at < now() - $1::interval limit ${latencyTrimSize}))`,
    values: [keptFor[resolution]],
  });
  return rowCount ?? 0;
}
