import type { Queryable } from "#lib/db/database.ts";

/** How long a worker may be silent before what it holds is taken back. */
export const leaseSeconds = 20;
export const heartbeatSeconds = 4;

/** Returns the new worker's id, and how many workers are alive, itself included. */
export async function registerWorker(
  db: Queryable,
  worker: { hostname: string; pid: number; version: string },
): Promise<{ id: string; alive: number }> {
  const { rows } = await db.query<{ id: string; alive: number }>({
    text: `insert into posthorn.workers (hostname, pid, version, lease_until)
      values ($1, $2, $3, now() + $4 * interval '1 second')
      returning id, 1 + (select count(*)::int from posthorn.workers where lease_until >= now()) as alive`,
    values: [worker.hostname, worker.pid, worker.version, leaseSeconds],
  });
  return rows[0] as { id: string; alive: number };
}

/** What a worker did in the last minute, in deliveries. */
export type WorkerPace = { claimed: number; settled: number };

/**
 * Renews the worker's lease on everything it holds, and stores its pace; returns how many workers are alive, itself
 * included.
 */
export async function heartbeat(
  db: Queryable,
  { workerId, pace }: { workerId: string; pace: WorkerPace },
): Promise<number> {
  const { rows } = await db.query<{ alive: number }>({
    name: "heartbeat",
    text: `with me as (
        update posthorn.workers set heartbeat_at = now(), lease_until = now() + $2 * interval '1 second',
          claimed_last_minute = $3, settled_last_minute = $4 where id = $1
      )
      select count(*)::int as alive from posthorn.workers where lease_until >= now() and id <> $1`,
    values: [workerId, leaseSeconds, pace.claimed, pace.settled],
  });
  return (rows[0]?.alive ?? 0) + 1;
}

/** Ends the lease at a clean exit. A worker's row stays, since attempts name it. */
export async function retireWorker(db: Queryable, workerId: string): Promise<void> {
  await db.query("update posthorn.workers set lease_until = now(), stopped_at = now() where id = $1", [
    workerId,
  ]);
}

/** Removes workers that ended over 30 days ago and hold nothing any more. */
export async function forgetOldWorkers(db: Queryable): Promise<void> {
  await db.query(`delete from posthorn.workers w where lease_until < now() - interval '30 days'
    and not exists (select from posthorn.deliveries d where d.state = 'in_flight' and d.leased_by = w.id)`);
}
