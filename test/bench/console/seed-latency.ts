import type pg from "pg";
import { histogramOf } from "#lib/delivery/latency.ts";
import { everyEndpoint } from "#lib/vocabulary.ts";
import { filled, idOf, random, type Seeding } from "./fill.ts";

const shapes = 64;
const workers = 2;
/** What the last hour's chart reads, and a little more. */
const minutesBack = 70;
const counted = "attempts, delivered, client_error, server_error, timeout, network";
const outcomes = `h.attempts, h.attempts * 9 / 10, h.attempts / 40, h.attempts / 40, h.attempts / 50, h.attempts / 100`;

/**
 * The roll-ups as if every endpoint had traffic in every hour, which is the most that there can be of them. Endpoints
 * have short histograms; an affiliate's and the deployment's have most of the buckets.
 */
export async function seedLatency(seeding: Seeding): Promise<void> {
  const { pool, sizes } = seeding;
  await pool.query(
    "create table bench.histograms (wide bool, number int, attempts int, buckets smallint[], counts int[])",
  );
  const made = Array.from({ length: shapes * 2 }, (_, i) => {
    const wide = i >= shapes;
    const samples = wide ? 2_000 : 12;
    const durations = Array.from(
      { length: samples },
      (_, k) => 12 * (1 + (i % 7)) * Math.exp((5 * k) / samples),
    );
    return { wide, number: i % shapes, samples, ...histogramOf(durations) };
  });
  await pool.query(
    `insert into bench.histograms select wide, number, samples, buckets::smallint[], counts::int[]
     from json_to_recordset($1) as h (wide bool, number int, samples int, buckets text, counts text)`,
    [JSON.stringify(made.map((h) => ({ ...h, buckets: arrayText(h.buckets), counts: arrayText(h.counts) })))],
  );
  await fillMinutes(pool, `interval '1 day' * ${sizes.days}`);
  await pool.query(`
    create table bench.subjects as
    select id, n, false as wide from bench.endpoints
    union all select ${idOf("affiliate", "a")}, a, true from generate_series(1, ${sizes.affiliates}) a
    union all select '${everyEndpoint}', 0, true`);
  await filled(seeding, { table: "endpoint_latency", insert: hoursInsert(sizes.latencyDays) });
  await filled(seeding, {
    table: "endpoint_latency_days",
    insert: `insert into posthorn.endpoint_latency_days (bucket_at, endpoint_id, ${counted}, buckets, counts)
      select at, s.id, ${outcomes}, h.buckets, h.counts from generate_series(date_trunc('day', now(), 'UTC')
        - interval '24 hours' * ${sizes.latencyDays}, now(), interval '24 hours') at cross join bench.subjects s
      ${shaped("s.n * 31 + extract(day from at)::int")}`,
  });
}

const shaped = (n: string) =>
  `join bench.histograms h on h.wide = s.wide and h.number = floor(${shapes} * ${random(n, 21)})::int`;

const hoursInsert = (days: number) => `
insert into posthorn.endpoint_latency (resolution, bucket_at, endpoint_id, worker_id, ${counted}, buckets, counts)
select 'hour', at, s.id, 0, ${outcomes}, h.buckets, h.counts
from generate_series(date_trunc('hour', now(), 'UTC') - interval '24 hours' * ${days}, now(), interval '1 hour') at
cross join bench.subjects s ${shaped("s.n * 31 + extract(hour from at)::int")}`;

/**
 * What a page shows of now: the last hour by the minute, workers with their heartbeat, and hours up to the current one.
 * Called again for a database that was kept.
 */
export async function seedPresent({ pool }: Pick<Seeding, "pool">): Promise<void> {
  await pool.query("delete from posthorn.endpoint_latency where resolution = 'minute'");
  // By what it knows already: subjects and shapes are gone once it is seeded.
  await pool.query(`
    insert into posthorn.endpoint_latency (resolution, bucket_at, endpoint_id, worker_id, ${counted}, buckets, counts)
    select 'minute', minute, endpoint_id, worker, ${counted}, buckets, counts
    from (select * from posthorn.endpoint_latency_days where bucket_at = (select max(bucket_at) from posthorn.endpoint_latency_days)) d
    cross join generate_series(date_trunc('minute', now()) - interval '${minutesBack} minutes', now(), interval '1 minute') minute
    cross join generate_series(1, ${workers}) worker`);
  await pool.query(`
    insert into posthorn.endpoint_latency (resolution, bucket_at, endpoint_id, worker_id, ${counted}, buckets, counts)
    select 'hour', hour, endpoint_id, 0, ${counted}, buckets, counts from generate_series(
      (select max(bucket_at) + interval '1 hour' from posthorn.endpoint_latency where resolution = 'hour'), now(), interval '1 hour') hour
    cross join (select * from posthorn.endpoint_latency_days where bucket_at = (select max(bucket_at) from posthorn.endpoint_latency_days)) d`);
  await fillMinutes(pool, "interval '1 day'");
  await pool.query("delete from posthorn.workers");
  await pool.query(`
    insert into posthorn.workers (id, hostname, pid, version, started_at, lease_until, stopped_at, claimed_last_minute, settled_last_minute)
    overriding system value
    select n, 'host-' || n, 1000 + n, '0.1.0', now() - interval '3 days', now() + case when n <= 4 then interval '1 day' else '-1 hour' end,
      case when n > 50 then now() - interval '2 hours' end, 4000, 4000 from generate_series(1, 60) n`);
  await pool.query("analyze posthorn.endpoint_latency; analyze posthorn.delivery_minutes");
}

/** What the workers did in each minute that nothing is known of, so far back. */
async function fillMinutes(pool: pg.Pool, back: string): Promise<void> {
  await pool.query(`
    insert into posthorn.delivery_minutes (minute, worker_id, delivered, failed, dead_letters, delivered_ms_sum)
    select minute, worker, 400, 20, 3, 36000
    from generate_series(date_trunc('minute', now()) - ${back}, now(), interval '1 minute') minute
    cross join generate_series(1, ${workers}) worker on conflict do nothing`);
}

function arrayText(numbers: readonly number[]): string {
  return `{${numbers.join(",")}}`;
}
