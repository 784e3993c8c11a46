import type { CappedCount } from "#lib/api/paging.ts";
import type { Overview } from "#lib/stats/schema.ts";
import type { WorkerState } from "#lib/vocabulary.ts";

/** One worker process. */
export type WorkerStatus = {
  id: string;
  hostname: string;
  pid: number;
  version: string;
  state: WorkerState;
  started_at: string;
  heartbeat_at: string;
  /** Deliveries that it has claimed and not settled yet. */
  leases: CappedCount;
  /** In the minute before its latest heartbeat; null unless it is alive. */
  claimed_last_minute: number | null;
  settled_last_minute: number | null;
};

/** How the queue moves. */
export type QueueStatus = Pick<
  Overview,
  | "waiting"
  | "awaiting_retry"
  | "in_flight"
  | "oldest_waiting_at"
  | "past_retry_window"
  | "workers_alive"
  | "at"
> & {
  /** Of all workers that are alive. */
  claimed_last_minute: number;
  settled_last_minute: number;
  /** Those alive first, then those that ended in the last 24 hours; at most 100. */
  workers: WorkerStatus[];
};
