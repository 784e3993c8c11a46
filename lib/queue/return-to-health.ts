/**
 * SQL that both the reaper and a hand-back end with: what `returned` (id, endpoint_id) names is in flight no more,
 * and a breaker whose probe is among it is open again and due at once, with its cooldown as it was
 * (`probeLost` of lib/delivery/breaker.ts, which a test holds equal to this).
 */
export function returnToHealth(returned: string): string {
  return `health as (
  update posthorn.endpoint_health h
  set in_flight = h.in_flight - c.n,
    breaker = case when ${probeLost} then 'open' else h.breaker end,
    breaker_changed_at = case when ${probeLost} then now() else h.breaker_changed_at end,
    probe_delivery_id = case when ${probeLost} then null else h.probe_delivery_id end,
    ready_at = case when ${probeLost} and e.status = 'active' and e.deleted_at is null then now() else h.ready_at end
  from (select endpoint_id, count(*)::int as n, array_agg(id) as ids from ${returned} group by endpoint_id) c
  join posthorn.endpoints e on e.id = c.endpoint_id
  where h.endpoint_id = c.endpoint_id
  returning h.endpoint_id, h.breaker, h.breaker_cooldown_seconds, c.ids
), lost_probe as (
  insert into posthorn.breaker_transitions (endpoint_id, from_state, to_state, cause, cooldown_seconds)
  select b.endpoint_id, 'half_open', 'open', 'probe_lost', b.breaker_cooldown_seconds
  from posthorn.endpoint_health b join health on health.endpoint_id = b.endpoint_id
  where b.breaker = 'half_open' and b.probe_delivery_id = any(health.ids)
)`;
}

const probeLost = "h.breaker = 'half_open' and h.probe_delivery_id = any(c.ids)";
