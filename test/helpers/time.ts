import type pg from "pg";

/**
 * Lets time pass for the queue without waiting: everything that is scheduled moves so many seconds towards the
 * present, which is the same to it as a later clock. Leases of workers that run move too, and are renewed.
 */
export async function passTime(pool: pg.Pool, seconds: number): Promise<void> {
  const step = "$1 * interval '1 second'";
  await pool.query(`update posthorn.deliveries set next_attempt_at = next_attempt_at - ${step}`, [seconds]);
  await pool.query(
    `update posthorn.endpoint_health set
       ready_at = case when isfinite(ready_at) then ready_at - ${step} else ready_at end,
       hold_until = hold_until - ${step},
       bucket_at_ms = bucket_at_ms - ($1 * 1000)::bigint,
       recent_slot = recent_slot - floor($1 / 30)::int`,
    [seconds],
  );
  await pool.query(`update posthorn.workers set lease_until = lease_until - ${step}`, [seconds]);
}
