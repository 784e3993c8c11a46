import { parseIntegers } from "#lib/db/arrays.ts";
import type { Queryable } from "#lib/db/database.ts";
import { type LatencyHistogram, mergeHistograms } from "#lib/delivery/latency.ts";
import { everyEndpoint } from "#lib/vocabulary.ts";
import type { CappedCount, Overview } from "./schema.ts";

const countedTo = 10_000;

type StandingRow = {
  waiting: number;
  awaiting_retry: number;
  dead_letters: number;
  in_flight: number;
  oldest_waiting_at: Date | null;
  active: number;
  paused: number;
  disabled: number;
  failing: number;
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
  | "endpoints"
  | "workers_alive"
  | "at"
>;

/**
 * How things stand now. Deliveries are counted along deliveries_state, no further than `countedTo`; the oldest that
 * is due is the first in deliveries_due of each endpoint that is neither stopped nor waiting for its breaker or its
 * next token.
 */
export async function selectStanding(db: Queryable): Promise<Standing> {
  const counted = (condition: string) =>
    `(select count(*)::int from (
        select from posthorn.deliveries where ${condition} limit ${countedTo + 1}) counted)`;
  const { rows } = await db.query<StandingRow>(`
    select ${counted("state = 'pending'")} as waiting, ${counted("state = 'failed'")} as awaiting_retry,
      ${counted("state = 'dead_letter'")} as dead_letters,
      (select coalesce(sum(in_flight), 0)::int from posthorn.endpoint_health) as in_flight,
      (select min(due.next_attempt_at) from posthorn.endpoint_health g cross join lateral (
         select d.next_attempt_at from posthorn.deliveries d
         where d.endpoint_id = g.endpoint_id and d.state in ('pending', 'failed') and not d.blocked
           and d.next_attempt_at <= now()
         order by d.next_attempt_at limit 1) due
       where g.ready_at <= now()) as oldest_waiting_at,
      (select count(*)::int from posthorn.workers where lease_until > now()) as workers_alive,
      now() as at, endpoint.*
    from (
      select count(*) filter (where e.status = 'active')::int as active,
        count(*) filter (where e.status = 'paused')::int as paused,
        count(*) filter (where e.status = 'disabled')::int as disabled,
        count(*) filter (where e.status = 'active' and h.consecutive_failures > 0)::int as failing
      from posthorn.endpoints e join posthorn.endpoint_health h on h.endpoint_id = e.id
      where e.deleted_at is null
    ) endpoint`);
  const row = rows[0] as StandingRow;
  return {
    waiting: cap(row.waiting),
    awaiting_retry: cap(row.awaiting_retry),
    in_flight: cap(row.in_flight),
    dead_letters: cap(row.dead_letters),
    oldest_waiting_at: row.oldest_waiting_at?.toISOString() ?? null,
    endpoints: { active: row.active, paused: row.paused, disabled: row.disabled, failing: row.failing },
    workers_alive: row.workers_alive,
    at: row.at.toISOString(),
  };
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

function cap(count: number): CappedCount {
  return { count: Math.min(count, countedTo), capped: count > countedTo };
}
