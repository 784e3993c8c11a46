import { eq, isNull, type SQL, sql } from "drizzle-orm";
import { endpointHealth, endpointPercentiles, endpoints } from "#drizzle/schema/index.ts";
import { capCount } from "#lib/api/paging.ts";
import { parseIntegers } from "#lib/db/arrays.ts";
import type { Orm, Queryable } from "#lib/db/database.ts";
import { type LatencyHistogram, mergeHistograms } from "#lib/delivery/latency.ts";
import { storedOutcomes } from "#lib/delivery/outcome-class.ts";
import { inView } from "#lib/endpoints/conditions.ts";
import { type BreakerState, everyEndpoint, type OutcomeClass } from "#lib/vocabulary.ts";
import type { BreakerChange, HistoryRow, HistoryWindow } from "./history.ts";
import type { HistoryQuery, Overview } from "./schema.ts";

/** Beyond this a count costs up to 25 ms for each 10,000 more, where the visibility map is behind. */
const countedTo = 10_000;

type StandingRow = {
  waiting: number;
  awaiting_retry: number;
  dead_letters: number;
  in_flight: number;
  oldest_waiting_at: Date | null;
  past_retry_window: boolean;
  workers_alive: number;
  at: Date;
};

type Standing = Pick<
  Overview,
  | "waiting"
  | "awaiting_retry"
  | "in_flight"
  | "dead_letters"
  | "oldest_waiting_at"
  | "past_retry_window"
  | "workers_alive"
  | "at"
>;

/**
 * How things stand now. Deliveries are counted along deliveries_state, no further than `countedTo`; what is due longest
 * is the first in deliveries_due of each endpoint that is neither stopped nor waiting for its breaker or its next
 * token: a probe each, 15 ms for 10,000. One that was never put back has waited since it was made, and any other at
 * least since it was due.
 */
export async function selectStanding(db: Queryable): Promise<Standing> {
  const counted = (condition: string) =>
    `(select count(*)::int from (
        select from posthorn.deliveries where ${condition} limit ${countedTo + 1}) counted)`;
  const { rows } = await db.query<StandingRow>(`
    select ${counted("state = 'pending'")} as waiting, ${counted("state = 'failed'")} as awaiting_retry,
      ${counted("state = 'dead_letter'")} as dead_letters,
      (select coalesce(sum(in_flight), 0)::int from posthorn.endpoint_health) as in_flight,
      (select count(*)::int from posthorn.workers where lease_until > now()) as workers_alive,
      now() as at, oldest.*
    from (
      select min(due.next_attempt_at) as oldest_waiting_at,
        coalesce(bool_or(due.since < now() - interval '1 second' * (
          select coalesce(sum(least(e.backoff_cap_seconds, e.backoff_base_seconds * 2::float8 ^ n)), 0)
          from generate_series(0, e.max_attempts - 2) n)), false) as past_retry_window
      from posthorn.endpoint_health g join posthorn.endpoints e on e.id = g.endpoint_id
      cross join lateral (
        select d.next_attempt_at,
          case when d.attempt_number = d.attempts_charged then d.created_at else d.next_attempt_at end as since
        from posthorn.deliveries d
        where d.endpoint_id = g.endpoint_id and d.state in ('pending', 'failed') and not d.blocked
          and d.next_attempt_at <= now()
        order by d.next_attempt_at limit 1) due
      where g.ready_at <= now()
    ) oldest`);
  const row = rows[0] as StandingRow;
  return {
    waiting: capCount(row.waiting, countedTo),
    awaiting_retry: capCount(row.awaiting_retry, countedTo),
    in_flight: { count: row.in_flight, capped: false },
    dead_letters: capCount(row.dead_letters, countedTo),
    oldest_waiting_at: row.oldest_waiting_at?.toISOString() ?? null,
    past_retry_window: row.past_retry_window,
    workers_alive: row.workers_alive,
    at: row.at.toISOString(),
  };
}

/** How many endpoints each view of their list holds. Reads them all: 15 ms for 10,000. */
export async function selectEndpointCounts(orm: Orm): Promise<Overview["endpoints"]> {
  const counted = (condition: SQL) => sql<number>`count(*) filter (where ${condition})::int`;
  const [row] = await orm
    .select({
      active: counted(eq(endpoints.status, "active")),
      failing: counted(inView("failing")),
      breaker_open: counted(inView("breaker_open")),
      slow: counted(inView("slow")),
      paused: counted(inView("paused")),
      disabled: counted(inView("disabled")),
    })
    .from(endpoints)
    .innerJoin(endpointHealth, eq(endpointHealth.endpointId, endpoints.id))
    .leftJoin(endpointPercentiles, eq(endpointPercentiles.endpointId, endpoints.id))
    .where(isNull(endpoints.deletedAt));
  return row as Overview["endpoints"];
}

export type Minute = {
  minute: Date;
  delivered: number;
  failed: number;
  dead_letters: number;
  delivered_ms_sum: number;
};

/** The last sixty minutes, the current one included, oldest first. */
export async function selectMinutes(db: Queryable): Promise<Minute[]> {
  const { rows } = await db.query<Minute>(`
    select m.minute, coalesce(sum(d.delivered), 0)::int as delivered, coalesce(sum(d.failed), 0)::int as failed,
      coalesce(sum(d.dead_letters), 0)::int as dead_letters, coalesce(sum(d.delivered_ms_sum), 0) as delivered_ms_sum
    from generate_series(date_trunc('minute', now()) - interval '59 minutes', date_trunc('minute', now()),
      interval '1 minute') m (minute)
    left join posthorn.delivery_minutes d on d.minute = m.minute
    group by m.minute order by m.minute`);
  return rows;
}

/** Durations of all attempts of these sixty minutes, from the rows that stand for the whole deployment. */
export async function selectHourLatency(db: Queryable): Promise<LatencyHistogram> {
  const { rows } = await db.query<{ buckets: string; counts: string }>(
    `select buckets::text, counts::text from posthorn.endpoint_latency
     where resolution = 'minute' and endpoint_id = $1 and bucket_at = any(array(
       select date_trunc('minute', now()) - n * interval '1 minute' from generate_series(0, 59) n))`,
    [everyEndpoint],
  );
  return mergeHistograms(
    rows.map((row) => ({ buckets: parseIntegers(row.buckets), counts: parseIntegers(row.counts) })),
  );
}

/**
 * By which id the roll-ups know what a query is about, null where the caller sees no such thing, and the database's
 * time. A deployment, or the whole of the affiliate that the caller is limited to, without an endpoint or affiliate.
 */
export async function selectSubject(
  db: Queryable,
  { endpoint, affiliate, scope }: Pick<HistoryQuery, "endpoint" | "affiliate"> & { scope: string | null },
): Promise<{ id: string | null; nowMs: number }> {
  const { rows } = await db.query<{ id: string | null; now: Date }>({
    name: "history_subject",
    text: `select now(), case
        when $1::uuid is not null then (select e.id from posthorn.endpoints e
          where e.id = $1 and e.deleted_at is null and ($3::uuid is null or e.affiliate_id = $3))
        when $2::text is not null then (select a.id from posthorn.affiliates a
          where a.key = $2 and a.deleted_at is null and ($3::uuid is null or a.id = $3))
        else coalesce($3::uuid, '${everyEndpoint}')
      end as id`,
    values: [endpoint ?? null, affiliate ?? null, scope],
  });
  const { id, now } = rows[0] as { id: string | null; now: Date };
  return { id, nowMs: now.getTime() };
}

type StoredRow = Record<Exclude<OutcomeClass, "other">, number> & {
  at_ms: number;
  attempts: number;
  buckets: string;
  counts: string;
};

const stored = `extract(epoch from bucket_at)::float8 * 1000 as at_ms, attempts, ${storedOutcomes.join(", ")},
  buckets::text, counts::text`;
const bucketTimes = (span: string) => `any(array(
  select n from generate_series($2::timestamptz, $3::timestamptz - interval '1 second', interval '1 ${span}') n))`;

/** Days are of hours that are over and made one; the workers' own rows of the latest hours are in none of them yet. */
const historyTexts = {
  minute: `select ${stored} from posthorn.endpoint_latency
    where resolution = 'minute' and endpoint_id = $1 and bucket_at = ${bucketTimes("minute")}`,
  hour: `select ${stored} from posthorn.endpoint_latency
    where resolution = 'hour' and endpoint_id = $1 and bucket_at = ${bucketTimes("hour")}`,
  day: `select ${stored} from posthorn.endpoint_latency_days
      where endpoint_id = $1 and bucket_at = ${bucketTimes("day")}
    union all
    select ${stored} from posthorn.endpoint_latency
      where resolution = 'hour' and endpoint_id = $1 and worker_id <> 0
        and bucket_at >= $2 and bucket_at < $3 and bucket_at = any(array(
          select date_trunc('hour', now(), 'UTC') - n * interval '1 hour' from generate_series(0, 24) n))`,
};

/** What is stored of a window, along the primary keys; rows of one bucket are to be added up. */
export async function selectHistory(
  db: Queryable,
  { subjectId, window }: { subjectId: string; window: HistoryWindow },
): Promise<HistoryRow[]> {
  const { rows } = await db.query<StoredRow>({
    name: `history_${window.resolution}`,
    text: historyTexts[window.resolution],
    values: [subjectId, new Date(window.fromMs), new Date(window.toMs)],
  });
  return rows.map((row) => ({
    atMs: row.at_ms,
    outcomes: {
      ...(Object.fromEntries(storedOutcomes.map((name) => [name, row[name]])) as HistoryRow["outcomes"]),
      other: row.attempts - storedOutcomes.reduce((sum, name) => sum + row[name], 0),
    },
    histogram: { buckets: parseIntegers(row.buckets), counts: parseIntegers(row.counts) },
  }));
}

const mostChanges = 20_000;

/** The breaker's state when the window began, and its changes within, oldest first. */
export async function selectBreakerChanges(
  db: Queryable,
  { endpointId, window }: { endpointId: string; window: HistoryWindow },
): Promise<{ initial: BreakerState; changes: BreakerChange[] }> {
  const { rows } = await db.query<{ at_ms: number | null; to_state: BreakerState }>({
    name: "history_breaker",
    text: `(select null::float8 as at_ms, to_state, 0 as id from posthorn.breaker_transitions
        where endpoint_id = $1 and at < $2 order by at desc, id desc limit 1)
      union all
      (select extract(epoch from at)::float8 * 1000, to_state, id from posthorn.breaker_transitions
        where endpoint_id = $1 and at >= $2 and at < $3 order by at desc, id desc limit ${mostChanges})
      order by at_ms nulls first, id`,
    values: [endpointId, new Date(window.fromMs), new Date(window.toMs)],
  });
  const before = rows.find((row) => row.at_ms === null);
  return {
    initial: before?.to_state ?? "closed",
    changes: rows.flatMap((row) => (row.at_ms === null ? [] : [{ atMs: row.at_ms, to: row.to_state }])),
  };
}

/** Which of these exist; an id that cannot be of the kind is null. */
export async function selectFound(
  db: Queryable,
  ids: { delivery: string | null; endpoint: string | null; event: string | null },
): Promise<{ delivery: boolean; endpoint: boolean; event: boolean }> {
  const { rows } = await db.query<{ delivery: boolean; endpoint: boolean; event: boolean }>({
    text: `select exists (select from posthorn.deliveries where id = $1::bigint) as delivery,
        exists (select from posthorn.endpoints where id = $2::uuid and deleted_at is null) as endpoint,
        exists (select from posthorn.event_keys where id = $3::text) as event`,
    values: [ids.delivery, ids.endpoint, ids.event],
  });
  return rows[0] as { delivery: boolean; endpoint: boolean; event: boolean };
}
