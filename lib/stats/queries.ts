import { eq, isNull, type SQL, sql } from "drizzle-orm";
import { endpointHealth, endpointPercentiles, endpoints } from "#drizzle/schema/index.ts";
import { capCount } from "#lib/api/paging.ts";
import { parseIntegers } from "#lib/db/arrays.ts";
import type { Orm, Queryable } from "#lib/db/database.ts";
import { type LatencyHistogram, mergeHistograms } from "#lib/delivery/latency.ts";
import { inView } from "#lib/endpoints/conditions.ts";
import { everyEndpoint } from "#lib/vocabulary.ts";
import type { Overview } from "./schema.ts";

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
