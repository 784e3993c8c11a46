import type { Queryable } from "#lib/db/database.ts";
import { returnToHealth } from "./return-to-health.ts";

/**
 * Returns leases that were not used: the attempt is given back too, as if it had never been claimed. Fenced
 * like a settlement. They are due again after `delaySeconds`: 0 at a shutdown, more after a fault of ours that
 * would only repeat. Returns how many went back.
 */
export async function handBack(
  db: Queryable,
  leases: { deliveryId: string; leaseToken: string; endpointId: string }[],
  delaySeconds = 0,
): Promise<number> {
  const { rows } = await db.query<{ n: number }>({
    name: "hand_back",
    text: `
with r as materialized (
  select * from unnest($1::bigint[], $2::bigint[]) as t (id, token)
), locked as materialized (
  select endpoint_id from posthorn.endpoint_health
  where endpoint_id = any($3::uuid[]) order by endpoint_id for update
), returned as (
  update posthorn.deliveries d
  set state = case when attempts_charged > 1 then 'failed'::posthorn.delivery_state else 'pending' end,
    attempt_number = attempt_number - 1, attempts_charged = attempts_charged - 1, leased_by = null, lease_token = null,
    lost_in_a_row = least(lost_in_a_row, 1),
    next_attempt_at = case when $4::int = 0 then next_attempt_at else now() + $4::int * interval '1 second' end
  from r
  where d.id = r.id and d.lease_token = r.token and d.state = 'in_flight' and (select count(*) from locked) >= 0
  returning d.id, d.endpoint_id
), ${returnToHealth("returned")}
select count(*)::int as n from returned`,
    values: [
      leases.map((lease) => lease.deliveryId),
      leases.map((lease) => lease.leaseToken),
      [...new Set(leases.map((lease) => lease.endpointId))],
      delaySeconds,
    ],
  });
  return rows[0]?.n ?? 0;
}

/** A claim under way is no stray, however long its answer takes to come. */
const strayAfterSeconds = 15;

/**
 * Hands back what this worker is said to hold though it does not: the claim's answer was lost, or loading what
 * belongs to it failed. `tokens` are the claims that it knows of.
 */
export async function handBackStrays(
  db: Queryable,
  options: { workerId: string; tokens: string[] },
): Promise<number> {
  const { rows } = await db.query<{ deliveryId: string; leaseToken: string; endpointId: string }>({
    name: "strays",
    text: `select id as "deliveryId", lease_token as "leaseToken", endpoint_id as "endpointId"
      from posthorn.deliveries
      where state = 'in_flight' and leased_by = $1 and lease_token <> all($2::bigint[])
        and last_attempt_at < now() - $3 * interval '1 second' limit 500`,
    values: [options.workerId, options.tokens, strayAfterSeconds],
  });
  return rows.length === 0 ? 0 : handBack(db, rows);
}
