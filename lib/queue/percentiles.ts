import type pg from "pg";
import { parseIntegers, plainArray } from "#lib/db/arrays.ts";
import type { Queryable } from "#lib/db/database.ts";
import {
  emptyHistogram,
  type LatencyHistogram,
  mergeHistograms,
  quantileMs,
  samplesIn,
} from "#lib/delivery/latency.ts";
import { borneOut, isSlow, isSlowing } from "#lib/delivery/slow.ts";
import { everyEndpoint } from "#lib/vocabulary.ts";
import { alone } from "./alone.ts";
import { bucketsOf, gathered } from "./latency.ts";

/** Endpoints at a time: a few milliseconds of this process, which measures durations meanwhile. */
const sliceSize = 50;

/** One for both refreshes, which write the same rows, in no common order. */
const refreshLock = "posthorn.percentiles";

/** Endpoints of which something was written since `since`, which is null where they were never looked at. */
const touched = (since: string) => `
  select l.endpoint_id from posthorn.endpoint_latency l
  join posthorn.endpoints e on e.id = l.endpoint_id and e.deleted_at is null
  left join posthorn.endpoint_percentiles p on p.endpoint_id = l.endpoint_id
  where l.resolution = 'minute' and l.bucket_at >= now() - interval '5 minutes' and l.endpoint_id <> '${everyEndpoint}'
    and l.written_at > coalesce(${since} - interval '5 seconds', '-infinity')`;

const hours = (from: string, count: number) =>
  `any(array(select ${from} - n * interval '1 hour' from generate_series(1, ${count}) n))`;

/**
 * Works out the percentiles of 24 hours for the endpoints that have new attempts, and once an hour for those
 * without, whose old ones leave the window. The window is of whole hours: the 24 that are over, kept merged in the
 * endpoint's row, and the current one. Returns how many endpoints it refreshed; 0 where another worker is at it.
 */
export function refreshPercentiles(pool: pg.Pool): Promise<number> {
  return alone(pool, refreshLock, async () => {
    // For two minutes the hour before counts as current too, since workers still write their last of it.
    const { rows } = await pool.query<{ endpoint_id: string; closed_until: string }>(
      `select endpoint_id, date_trunc('hour', now() - interval '2 minutes', 'UTC')::text as closed_until from (
         ${touched("p.refreshed_at")}
         union
         select endpoint_id from posthorn.endpoint_percentiles
         where samples > 0 and refreshed_at < date_trunc('hour', now() - interval '2 minutes', 'UTC')
       ) due`,
    );
    const closedUntil = rows[0]?.closed_until ?? "";
    return bySlices(
      rows.map((row) => row.endpoint_id),
      (ids) => refreshSlice(pool, ids, closedUntil),
    );
  });
}

async function refreshSlice(db: Queryable, ids: string[], closedUntil: string): Promise<void> {
  await closeHours(db, ids, closedUntil);
  const { rows } = await db.query<HistogramRow>({
    name: "read_day",
    text: `select endpoint_id, closed_buckets::text as buckets, closed_counts::text as counts
        from posthorn.endpoint_percentiles where endpoint_id = any($1::uuid[])
      union all
      select endpoint_id, buckets::text, counts::text from posthorn.endpoint_latency
      where resolution = 'hour' and bucket_at = any(array[$2::timestamptz, $2::timestamptz + interval '1 hour'])
        and endpoint_id = any($1::uuid[])`,
    values: [plainArray(ids), closedUntil],
  });
  const byEndpoint = Map.groupBy(rows, (row) => row.endpoint_id);
  const days = ids.map((id) => mergeHistograms((byEndpoint.get(id) ?? []).map(toHistogram)));
  const p95s = days.map((day) => quantileMs(day, 0.95));
  const samples = days.map(samplesIn);
  await db.query({
    name: "store_day",
    text: `update posthorn.endpoint_percentiles p
      set refreshed_at = now(), samples = c.samples, p50_ms = c.p50, p95_ms = c.p95, p99_ms = c.p99, slow = c.slow
      from unnest($1::uuid[], $2::int[], $3::real[], $4::real[], $5::real[], $6::boolean[])
        as c (endpoint_id, samples, p50, p95, p99, slow)
      where p.endpoint_id = c.endpoint_id`,
    values: [
      plainArray(ids),
      plainArray(samples),
      plainArray(days.map((day) => quantileMs(day, 0.5))),
      plainArray(p95s),
      plainArray(days.map((day) => quantileMs(day, 0.99))),
      plainArray(p95s.map((valueMs, i) => isSlow({ valueMs, samples: samples[i] as number }))),
    ],
  });
}

/** Merges the hours that are over anew for those endpoints that were last looked at in an earlier hour. */
async function closeHours(db: Queryable, ids: string[], closedUntil: string): Promise<void> {
  await db.query({
    name: "close_hours",
    text: `
with stale as materialized (
  select i.id from unnest($1::uuid[]) i (id) left join posthorn.endpoint_percentiles p on p.endpoint_id = i.id
  where p.closed_until is distinct from $2::timestamptz
), summed as (
  select l.endpoint_id, bucket, sum(n)::int as n from posthorn.endpoint_latency l, ${bucketsOf}
  where l.resolution = 'hour' and l.bucket_at = ${hours("$2::timestamptz", 24)}
    and l.endpoint_id = any(array(select id from stale))
  group by l.endpoint_id, bucket
), merged as (
  select endpoint_id, ${gathered} from summed group by endpoint_id
)
insert into posthorn.endpoint_percentiles (endpoint_id, closed_until, closed_buckets, closed_counts)
select s.id, $2::timestamptz, coalesce(buckets, '{}'), coalesce(counts, '{}')
from stale s left join merged m on m.endpoint_id = s.id
on conflict (endpoint_id) do update set closed_until = excluded.closed_until,
  closed_buckets = excluded.closed_buckets, closed_counts = excluded.closed_counts`,
    values: [plainArray(ids), closedUntil],
  });
}

/**
 * Works out the P95 of the last sixty minutes, which halves the breaker's threshold, and by that of the last 7 days
 * whether an endpoint is slowing. Reads sixty rows for each endpoint and worker, so it is made less often.
 * Returns how many endpoints it looked at; 0 where another worker is at it.
 */
export function refreshLastHour(pool: pg.Pool): Promise<number> {
  return alone(pool, refreshLock, async () => {
    const { rows } = await pool.query<{ endpoint_id: string }>(
      `${touched("null::timestamptz")}
       union select endpoint_id from posthorn.endpoint_percentiles where hour_samples > 0`,
    );
    return bySlices(
      rows.map((row) => row.endpoint_id),
      (ids) => refreshHourSlice(pool, ids),
    );
  });
}

async function refreshHourSlice(db: Queryable, ids: string[]): Promise<void> {
  const hourOf = await readMerged(db, {
    name: "read_hour",
    where: `l.resolution = 'minute' and l.bucket_at = any(array(
      select date_trunc('minute', now()) - n * interval '1 minute' from generate_series(0, 59) n))`,
    ids,
  });
  const hourP95s = ids.map((id) => p95Of(hourOf(id)));
  // A baseline is asked for only where one could make a difference.
  const rising = ids.filter((_, i) => isSlowing({ hourMs: hourP95s[i] ?? null, weekMs: 0 }));
  const weekOf = await refreshWeeks(db, rising);
  await db.query({
    name: "store_hour",
    text: `insert into posthorn.endpoint_percentiles as p (endpoint_id, hour_samples, hour_p95_ms, slowing)
      select * from unnest($1::uuid[], $2::int[], $3::real[], $4::boolean[])
      on conflict (endpoint_id) do update set hour_samples = excluded.hour_samples,
        hour_p95_ms = excluded.hour_p95_ms, slowing = excluded.slowing`,
    values: [
      plainArray(ids),
      plainArray(ids.map((id) => samplesIn(hourOf(id)))),
      plainArray(hourP95s),
      plainArray(
        ids.map((id, i) => isSlowing({ hourMs: hourP95s[i] ?? null, weekMs: weekOf.get(id) ?? null })),
      ),
    ],
  });
}

/** The P95 of 7 days of whole hours, kept for an hour. */
async function refreshWeeks(db: Queryable, ids: string[]): Promise<Map<string, number | null>> {
  if (ids.length === 0) return new Map();
  const known = await db.query<{ endpoint_id: string; week_p95_ms: number | null }>({
    name: "known_weeks",
    text: `select endpoint_id, week_p95_ms from posthorn.endpoint_percentiles
      where endpoint_id = any($1::uuid[]) and week_at >= now() - interval '1 hour'`,
    values: [plainArray(ids)],
  });
  const weeks = new Map(known.rows.map((row) => [row.endpoint_id, row.week_p95_ms]));
  const stale = ids.filter((id) => !weeks.has(id));
  if (stale.length === 0) return weeks;
  const weekOf = await readMerged(db, {
    name: "read_week",
    where: `l.resolution = 'hour' and l.bucket_at = ${hours("date_trunc('hour', now(), 'UTC')", 168)}`,
    ids: stale,
  });
  for (const id of stale) weeks.set(id, p95Of(weekOf(id)));
  await db.query({
    name: "store_week",
    text: `insert into posthorn.endpoint_percentiles as p (endpoint_id, week_p95_ms, week_at)
      select c.*, now() from unnest($1::uuid[], $2::real[]) c
      on conflict (endpoint_id) do update set week_p95_ms = excluded.week_p95_ms, week_at = excluded.week_at`,
    values: [plainArray(stale), plainArray(stale.map((id) => weeks.get(id) ?? null))],
  });
  return weeks;
}

type HistogramRow = { endpoint_id: string; buckets: string; counts: string };

function toHistogram(row: HistogramRow): LatencyHistogram {
  return { buckets: parseIntegers(row.buckets), counts: parseIntegers(row.counts) };
}

/** Merged by the database, which spares reading up to sixty rows an endpoint. */
async function readMerged(
  db: Queryable,
  { name, where, ids }: { name: string; where: string; ids: string[] },
): Promise<(id: string) => LatencyHistogram> {
  const { rows } = await db.query<HistogramRow>({
    name,
    text: `select endpoint_id, buckets::text, counts::text from (
        select endpoint_id, ${gathered} from (
          select l.endpoint_id, bucket, sum(n)::int as n from posthorn.endpoint_latency l, ${bucketsOf}
          where ${where} and l.endpoint_id = any($1::uuid[]) group by l.endpoint_id, bucket
        ) summed group by endpoint_id
      ) merged`,
    values: [plainArray(ids)],
  });
  const merged = new Map(rows.map((row) => [row.endpoint_id, toHistogram(row)]));
  return (id) => merged.get(id) ?? emptyHistogram;
}

function p95Of(histogram: LatencyHistogram): number | null {
  return borneOut({ valueMs: quantileMs(histogram, 0.95), samples: samplesIn(histogram) });
}

async function bySlices(ids: string[], work: (ids: string[]) => Promise<void>): Promise<number> {
  for (let from = 0; from < ids.length; from += sliceSize) await work(ids.slice(from, from + sliceSize));
  return ids.length;
}
