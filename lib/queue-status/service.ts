import type { Actor } from "#lib/auth/actor.ts";
import { authorize } from "#lib/auth/permissions.ts";
import { appDatabase } from "#lib/db/app.ts";
import { selectStanding } from "#lib/stats/queries.ts";
import { selectWorkers } from "./queries.ts";
import type { QueueStatus, WorkerStatus } from "./schema.ts";

/** What waits, how fast it is claimed and settled, and by whom. 403 for who is limited to an affiliate. */
export async function getQueueStatus(actor: Actor): Promise<QueueStatus> {
  authorize(actor, "deployment.read");
  const { pool } = appDatabase();
  const [{ dead_letters: _, ...standing }, workers] = await Promise.all([
    selectStanding(pool),
    selectWorkers(pool),
  ]);
  const total = (count: (worker: WorkerStatus) => number | null) =>
    workers.reduce((sum, worker) => sum + (count(worker) ?? 0), 0);
  return {
    ...standing,
    claimed_last_minute: total((worker) => worker.claimed_last_minute),
    settled_last_minute: total((worker) => worker.settled_last_minute),
    workers,
  };
}
