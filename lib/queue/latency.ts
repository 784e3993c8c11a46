import { plainArray, textArray } from "#lib/db/arrays.ts";
import type { Queryable } from "#lib/db/database.ts";
import type { LatencyHistogram } from "#lib/delivery/latency.ts";
import type { LatencyResolution } from "#lib/vocabulary.ts";

/** What one worker settled for one endpoint in one minute or hour. */
export type LatencyRow = {
  endpointId: string;
  resolution: LatencyResolution;
  bucketAtMs: number;
  attempts: number;
  delivered: number;
  histogram: LatencyHistogram;
};

/** Rows a statement writes. */
export const latencyBatchSize = 250;
export const latencyRollUpSize = 500;
export const latencyTrimSize = 5_000;

/** Minutes are for the last hour's chart and flags, hours for all else: a minute costs as much as raw samples. */
const keptFor = { minute: "3 hours", hour: "90 days" } satisfies Record<LatencyResolution, string>;

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
  await db.query({
    name: "write_latency",
    text: `
insert into posthorn.endpoint_latency (resolution, bucket_at, endpoint_id, worker_id, attempts, delivered, buckets, counts)
select resolution, to_timestamp(at_ms / 1000), endpoint_id, $1, attempts, delivered, buckets::smallint[], counts::int[]
from unnest($2::posthorn.latency_resolution[], $3::float8[], $4::uuid[], $5::int[], $6::int[], $7::text[], $8::text[])
  as r (resolution, at_ms, endpoint_id, attempts, delivered, buckets, counts)
on conflict (resolution, bucket_at, endpoint_id, worker_id) do update set written_at = now(),
  attempts = excluded.attempts, delivered = excluded.delivered, buckets = excluded.buckets, counts = excluded.counts`,
    values: [
      workerId,
      plainArray(rows.map((row) => row.resolution)),
      plainArray(rows.map((row) => row.bucketAtMs)),
      plainArray(rows.map((row) => row.endpointId)),
      plainArray(rows.map((row) => row.attempts)),
      plainArray(rows.map((row) => row.delivered)),
      textArray(rows.map((row) => plainArray(row.histogram.buckets))),
      textArray(rows.map((row) => plainArray(row.histogram.counts))),
    ],
  });
}

/**
 * Makes one row out of the workers' rows of hours that ended over ten minutes ago, when every worker has written
 * its last: 90 days of hours then cost the same for any number of workers. Call again while it returns a whole
 * batch. Safe in several workers at once: whoever finds the rows gone adds nothing.
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
  returning l.bucket_at, l.endpoint_id, l.attempts, l.delivered, l.buckets, l.counts
), total as (
  select bucket_at, endpoint_id, sum(attempts)::int as attempts, sum(delivered)::int as delivered
  from gone group by bucket_at, endpoint_id
), summed as (
  select bucket_at, endpoint_id, bucket, sum(n)::int as n from gone l, ${bucketsOf}
  group by bucket_at, endpoint_id, bucket
), merged as (
  select bucket_at, endpoint_id, ${gathered} from summed group by bucket_at, endpoint_id
), stored as (
  insert into posthorn.endpoint_latency
    (resolution, bucket_at, endpoint_id, worker_id, attempts, delivered, buckets, counts)
  select 'hour', bucket_at, endpoint_id, 0, attempts, delivered, buckets, counts
  from total join merged using (bucket_at, endpoint_id)
)
select count(*)::int as n from ended`,
  });
  return rows[0]?.n ?? 0;
}

/** Deletes rows past their time, a batch at a time; call again while it returns a whole one. */
export async function trimLatency(db: Queryable, resolution: LatencyResolution): Promise<number> {
  const { rowCount } = await db.query({
    name: "trim_latency",
    text: `delete from posthorn.endpoint_latency where ctid = any(array(
      select ctid from posthorn.endpoint_latency
      where resolution = $1 and bucket_at < now() - $2::interval limit ${latencyTrimSize}))`,
    values: [resolution, keptFor[resolution]],
  });
  return rowCount ?? 0;
}
