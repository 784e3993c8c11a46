import type pg from "pg";

export const wakeChannel = "posthorn_work";

const intervalMs = 5;
let scheduled = false;

/**
 * Tells the workers that there is something to do; call it after the commit. At most one notification every
 * 5 ms, on a connection of its own: inside the publishing transaction it would take a database-wide lock at
 * commit (17,000 -> 3,900 transactions/s). A lost one costs a poll's wait, so its failure is ignored.
 */
export function wakeWorkers(pool: pg.Pool): void {
  if (scheduled) return;
  scheduled = true;
  setTimeout(() => {
    scheduled = false;
    pool.query(`select pg_notify('${wakeChannel}', '')`).catch(() => undefined);
  }, intervalMs);
}
