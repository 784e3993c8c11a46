import type { Queryable } from "#lib/db/database.ts";
import { catchUpLimit } from "#lib/delivery/admission.ts";
import { tokenParts } from "#lib/delivery/token-bucket.ts";

/** A delivery that this worker holds a lease on. Ids are decimal strings of bigints. */
export type ClaimedRow = {
  id: string;
  endpointId: string;
  eventId: string;
  /** UTC day of the event's acceptance, counted from 1970: where its body is kept. */
  eventDay: number;
  attemptNumber: number;
  attemptsCharged: number;
  deliveredBefore: boolean;
  /** Its request was rendered when it was made; else its event is sent. */
  rendered: boolean;
  /** Others may wait for it to end. */
  ordered: boolean;
  /** Its latest attempt ended with its worker. */
  lostBefore: boolean;
  leaseToken: string;
  /** Of the endpoint's breaker; comes back with the result. */
  breakerEpoch: number;
  /** Breaker closed, nothing failed lately, no ramp: a success needs nobody's decision. */
  endpointWasSound: boolean;
  /** It took a token, which is for a send within a second. */
  limited: boolean;
};

export type Claim = {
  rows: ClaimedRow[];
  /** Where the walk over the endpoints stopped; null when it reached the end, so the next one starts over. */
  cursor: string | null;
  /** The database's clock when the rows were claimed, in milliseconds. */
  databaseNowMs: number;
};

/** How many times its concurrency an endpoint may hold between claim and settlement: the limit itself is kept on the wire. */
export const holdFactor = 4;
const lanes = 100;
const probes = 2_000;
export const firstLane = "00000000-0000-0000-0000-000000000000";

/**
 * Takes up to `want` due deliveries in one statement: fair lanes, then admission, then rows.
 *
 * 1. `lane` walks the due index from endpoint to endpoint after the last one served (a loose index scan), at
 *    most 2,000 steps; `pick` keeps the first 100 that have something due and whose gate (`ready_at`) is open,
 *    so that a gated backlog costs a step, never a touched row.
 * 2. `gate` locks their health rows, skipping those that a settlement holds, and reads the gate again.
 * 3. `filled` refills the token buckets, and `admitted` says how many each endpoint may take: the twin in SQL of
 *    lib/delivery/admission.ts, which a test holds equal to it. An open breaker that is due gives one, the probe,
 *    which is single because its health row is locked; the row then says half open and is ready never, until
 *    the probe is settled.
 * 4. `taken` leases that many rows each. `id = any(array(...))` and not a join: with bad statistics a join
 *    went from 10 ms to 320.
 * Measured: 9 to 10 ms for 500 rows over 100 lanes, three quarters of it index entries.
 */
const text = `
with recursive lane (endpoint_id, due) as (
  (select endpoint_id, next_attempt_at from posthorn.deliveries
    where state in ('pending', 'failed') and not blocked and endpoint_id > $1
    order by endpoint_id, next_attempt_at limit 1)
  union all
  select n.endpoint_id, n.next_attempt_at from lane, lateral (
    select endpoint_id, next_attempt_at from posthorn.deliveries
    where state in ('pending', 'failed') and not blocked and endpoint_id > lane.endpoint_id
    order by endpoint_id, next_attempt_at limit 1) n
), pick as materialized (
  select l.endpoint_id
  from (select endpoint_id, due from lane limit ${probes}) l, lateral (
    select from posthorn.endpoint_health g
    where g.endpoint_id = l.endpoint_id and g.ready_at <= now() offset 0) open
  where l.due <= now()
  limit ${lanes}
), gate as materialized (
  select h.endpoint_id, h.breaker, h.breaker_epoch, h.breaker_cooldown_seconds, h.ramp, h.in_flight, e.concurrency,
    e.kind = 'postback' as rendered, e.status_changed_at,
    h.breaker = 'closed' and h.consecutive_failures = 0 and h.ramp is null and h.rate_limited_in_a_row = 0 as sound,
    case when e.rate_amount is not null then e.rate_amount * 3600::bigint / e.rate_period_seconds
      when h.catching_up then ${catchUpLimit.amount * 3_600} end as speed,
    case when e.rate_amount is not null then e.rate_burst when h.catching_up then ${catchUpLimit.burst} end
      * ${tokenParts}::bigint as capacity,
    h.bucket_level, h.bucket_at_ms, floor(extract(epoch from now()) * 1000)::bigint as now_ms
  from posthorn.endpoint_health h join posthorn.endpoints e on e.id = h.endpoint_id
  where h.endpoint_id = any(array(select endpoint_id from pick)) and h.ready_at <= now()
  for update of h skip locked
), filled as materialized (
  select *, greatest(bucket_at_ms, now_ms) as at_ms,
    least(capacity, coalesce(bucket_level, capacity)
      + least(greatest(0, now_ms - coalesce(bucket_at_ms, now_ms)), capacity / speed + 1) * speed) as level
  from gate
), room as materialized (
  select *, least(coalesce(level / ${tokenParts}, 2147483647), case breaker when 'half_open' then 0 when 'open' then 1
    else case when ramp is not null then least(ramp, concurrency)
      when speed is not null or concurrency <= $5 then concurrency else concurrency * ${holdFactor} end - in_flight
    end) as free
  from filled
), admitted as materialized (
  select *, least(free, greatest(1, $2 / (count(*) over ())::int),
    case when speed is not null then greatest(1, concurrency / $5) end)::int as n
  from room where free > 0
), taken as (
  update posthorn.deliveries d
  set state = 'in_flight', attempt_number = attempt_number + 1, attempts_charged = attempts_charged + 1,
    leased_by = $3, lease_token = $4, last_attempt_at = now()
  where d.id = any(array(
    select due.id from admitted a, lateral (
      select id from posthorn.deliveries
      where endpoint_id = a.endpoint_id and state in ('pending', 'failed') and not blocked
        and next_attempt_at <= now()
      order by next_attempt_at, id limit a.n for update skip locked) due
    limit $2))
  returning d.id, d.endpoint_id, d.event_id,
    floor(extract(epoch from d.event_received_at) / 86400)::int as event_day, d.attempt_number, d.attempts_charged,
    d.delivered_at is not null as delivered_before, d.ordering_key is not null as ordered,
    d.lost_in_a_row > 0 as lost_before
), counted as (
  select endpoint_id, count(*)::int as n, max(id) as last_id from taken group by endpoint_id
), health as (
  update posthorn.endpoint_health h set in_flight = h.in_flight + c.n,
    bucket_level = a.level - c.n * ${tokenParts}::bigint,
    bucket_at_ms = case when a.speed is not null then a.at_ms end,
    catching_up = h.catching_up and (c.n >= a.n or exists (
      select from posthorn.deliveries b where b.endpoint_id = h.endpoint_id and b.blocked
        and b.state in ('pending', 'failed') and b.created_at <= a.status_changed_at)),
    breaker = case when a.breaker = 'open' then 'half_open' else h.breaker end,
    breaker_epoch = case when a.breaker = 'open' then h.breaker_epoch + 1 else h.breaker_epoch end,
    breaker_changed_at = case when a.breaker = 'open' then now() else h.breaker_changed_at end,
    probe_delivery_id = case when a.breaker = 'open' then c.last_id else h.probe_delivery_id end,
    ready_at = case when a.breaker = 'open' then 'infinity'
      when a.level - c.n * ${tokenParts}::bigint < ${tokenParts} then greatest(h.ready_at, to_timestamp(
        (a.at_ms + ceil((${tokenParts} - (a.level - c.n * ${tokenParts}::bigint)) / a.speed::float8)) / 1000))
      else h.ready_at end
  from counted c join admitted a on a.endpoint_id = c.endpoint_id where h.endpoint_id = c.endpoint_id
), probe as (
  insert into posthorn.breaker_transitions (endpoint_id, from_state, to_state, cause, cooldown_seconds)
  select a.endpoint_id, 'open', 'half_open', 'probe_started', a.breaker_cooldown_seconds
  from admitted a join counted c on c.endpoint_id = a.endpoint_id where a.breaker = 'open'
)
select s.cursor, s.now_ms, t.*, a.rendered, a.sound, a.speed is not null as limited, a.breaker_epoch + (a.breaker = 'open')::int as epoch
from (
  select case when (select count(*) from pick) = ${lanes}
      then (select endpoint_id from pick offset ${lanes - 1} limit 1)
      else (select endpoint_id from lane offset ${probes - 1} limit 1) end as cursor,
    extract(epoch from clock_timestamp())::float8 * 1000 as now_ms
) s left join (taken t join admitted a on a.endpoint_id = t.endpoint_id) on true`;

type Row = {
  cursor: string | null;
  now_ms: number;
  id: string | null;
  endpoint_id: string;
  event_id: string;
  event_day: number;
  attempt_number: number;
  attempts_charged: number;
  delivered_before: boolean;
  ordered: boolean;
  lost_before: boolean;
  rendered: boolean;
  sound: boolean;
  limited: boolean;
  epoch: number;
};

/**
 * `after`: the endpoint after which the walk starts. `leaseToken`: new for every call.
 * `workersAlive`: an endpoint with no more concurrency than that is bounded here, as its share on the wire would be
 * less than one; and of one with a rate, no more is taken than this worker's share on the wire.
 */
export async function claim(
  db: Queryable,
  options: { after: string; want: number; workerId: string; leaseToken: string; workersAlive: number },
): Promise<Claim> {
  const { after, want, workerId, leaseToken, workersAlive } = options;
  const { rows } = await db.query<Row>({
    name: "claim",
    text,
    values: [after, want, workerId, leaseToken, workersAlive],
  });
  const claimed: ClaimedRow[] = [];
  for (const row of rows) {
    if (row.id === null) continue;
    claimed.push({
      id: row.id,
      endpointId: row.endpoint_id,
      eventId: row.event_id,
      eventDay: row.event_day,
      attemptNumber: row.attempt_number,
      attemptsCharged: row.attempts_charged,
      deliveredBefore: row.delivered_before,
      rendered: row.rendered,
      ordered: row.ordered,
      lostBefore: row.lost_before,
      leaseToken,
      breakerEpoch: row.epoch,
      endpointWasSound: row.sound,
      limited: row.limited,
    });
  }
  return { rows: claimed, cursor: rows[0]?.cursor ?? null, databaseNowMs: rows[0]?.now_ms ?? Date.now() };
}
