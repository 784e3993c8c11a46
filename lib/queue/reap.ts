import type pg from "pg";
import { releaseBehind } from "./ordering.ts";
import { returnToHealth } from "./return-to-health.ts";
import { lostLimit } from "./suspect.ts";

/** Deliveries a statement returns; call again while it returns as many. */
export const reapBatchSize = 500;

/**
 * Takes back what workers hold whose lease has run out. The attempt is recorded as `worker_lost` and not
 * charged, and the delivery goes out again at once; the third in a row makes it a dead letter, or delivered as it was
 * before it was resent. The first counts here, the others when it is sent again (suspect.ts).
 * Health rows are locked first and in order, as in settle, so that the two cannot deadlock; a row that its
 * worker settles meanwhile no longer matches.
 */
export async function reap(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ n: number; ended: string[] }>({
    name: "reap",
    text: `
with lost as materialized (
  select id, lease_token, endpoint_id from posthorn.deliveries
  where state = 'in_flight' and leased_by <> all(array(
    select id from posthorn.workers where lease_until >= now()))
  order by id limit ${reapBatchSize}
), locked as materialized (
  select endpoint_id from posthorn.endpoint_health
  where endpoint_id = any(array(select endpoint_id from lost)) order by endpoint_id for update
), before as materialized (
  select d.id, d.attempt_number, d.last_attempt_at, d.leased_by, d.endpoint_id
  from posthorn.deliveries d join lost l on l.id = d.id
  where d.state = 'in_flight' and d.lease_token = l.lease_token and (select count(*) from locked) >= 0
  for update of d
), returned as (
  update posthorn.deliveries d
  set state = case when d.lost_in_a_row < ${lostLimit} then 'failed'
      when d.delivered_at is not null then 'delivered' else 'dead_letter' end::posthorn.delivery_state,
    reason = case when d.lost_in_a_row < ${lostLimit} or d.delivered_at is null
      then 'worker_lost'::posthorn.reason end,
    attempts_charged = d.attempts_charged - 1, lost_in_a_row = greatest(d.lost_in_a_row, 1),
    next_attempt_at = now(), leased_by = null, lease_token = null,
    last_status = null, last_duration_ms = null,
    ended_at = case when d.lost_in_a_row < ${lostLimit} then null else now() end
  from before b where d.id = b.id
  returning d.id, d.endpoint_id, d.state, b.leased_by, d.ordering_key is not null and d.ended_at is not null as ended
), attempt as (
  insert into posthorn.delivery_attempts (delivery_id, number, started_at, endpoint_id, outcome, reason, worker_id)
  select id, attempt_number, last_attempt_at, endpoint_id, 'worker_lost', 'worker_lost', leased_by from before
), minute as (
  insert into posthorn.delivery_minutes as t (minute, worker_id, delivered, failed, dead_letters, delivered_ms_sum)
  select date_trunc('minute', now()), leased_by, 0, 0, count(*), 0
  from returned where state = 'dead_letter' group by leased_by order by leased_by
  on conflict (minute, worker_id) do update set dead_letters = t.dead_letters + excluded.dead_letters
), ${returnToHealth("returned")}
select count(*)::int as n, coalesce(array_agg(id) filter (where ended), '{}') as ended from returned`,
  });
  await releaseBehind(pool, rows[0]?.ended ?? []);
  return rows[0]?.n ?? 0;
}
