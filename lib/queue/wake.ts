import { performance } from "node:perf_hooks";
import type pg from "pg";

export const wakeChannel = "posthorn_work";

/**
 * What there is to do. `events`: some were accepted; whoever fans them out then claims, so that nobody looks for
 * deliveries that are not there yet. `deliveries`: some may go now. `workers`: one more shares out the endpoints'
 * concurrency.
 */
export type Wake = "events" | "deliveries" | "workers";

const intervalMs = 5;
const calls: Record<Wake, { scheduled: boolean; lastSentAt: number }> = {
  events: { scheduled: false, lastSentAt: Number.NEGATIVE_INFINITY },
  deliveries: { scheduled: false, lastSentAt: Number.NEGATIVE_INFINITY },
  workers: { scheduled: false, lastSentAt: Number.NEGATIVE_INFINITY },
};

/**
 * Tells the workers that there is something to do; call it after the commit. At once, but at most every 5 ms, on a
 * connection of its own: inside the publishing transaction it would take a database-wide lock at commit
 * (17,000 -> 3,900 transactions/s). A lost one costs a poll's wait, or a heartbeat's, so its failure is ignored.
 */
export function wakeWorkers(pool: pg.Pool, wake: Wake = "deliveries"): void {
  const call = calls[wake];
  if (call.scheduled) return;
  call.scheduled = true;
  const send = () => {
    call.scheduled = false;
    call.lastSentAt = performance.now();
    pool.query("select pg_notify($1, $2)", [wakeChannel, wake]).catch(() => undefined);
  };
  const waitMs = call.lastSentAt + intervalMs - performance.now();
  if (waitMs > 0) setTimeout(send, waitMs);
  else send();
}
