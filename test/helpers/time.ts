import type pg from "pg";

/**
 * Lets time pass for the queue without waiting: everything that is scheduled moves so many seconds towards the
 * present, which is the same to it as a later clock. Leases of workers that run move too, and are renewed.
 */
export async function passTime(pool: pg.Pool, seconds: number): Promise<void> {
  const step = "$1 * interval '1 second'";
  await pool.query(`update posthorn.deliveries set next_attempt_at = next_attempt_at - ${step}`, [seconds]);
  await pool.query(
    `update posthorn.endpoint_health set ready_at = ready_at - ${step} where isfinite(ready_at)`,
    [seconds],
  );
  await pool.query(`update posthorn.workers set lease_until = lease_until - ${step}`, [seconds]);
}
