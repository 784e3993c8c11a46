import { capCount } from "#lib/api/paging.ts";
import type { Queryable } from "#lib/db/database.ts";
import type { WorkerState } from "#lib/vocabulary.ts";
import type { WorkerStatus } from "./schema.ts";

const workersShown = 100;
const leasesCountedTo = 1_000;

type Row = {
  id: string;
  hostname: string;
  pid: number;
  version: string;
  state: WorkerState;
  started_at: Date;
  heartbeat_at: Date;
  leases: number;
  claimed_last_minute: number;
  settled_last_minute: number;
};

/** Those alive, then those that ended in the last 24 hours; their leases along deliveries_leased. */
export async function selectWorkers(db: Queryable): Promise<WorkerStatus[]> {
  const { rows } = await db.query<Row>(`
    select w.id, w.hostname, w.pid, w.version, w.started_at, w.heartbeat_at, w.claimed_last_minute,
      w.settled_last_minute, held.leases,
      case when w.lease_until > now() then 'alive' when w.stopped_at is null then 'lost' else 'stopped' end as state
    from posthorn.workers w cross join lateral (
      select count(*)::int as leases from (
        select from posthorn.deliveries d
        where d.state = 'in_flight' and d.leased_by = w.id limit ${leasesCountedTo + 1}) d) held
    where w.lease_until > now() - interval '24 hours'
    order by w.lease_until > now() desc, w.heartbeat_at desc, w.id desc limit ${workersShown}`);
  return rows.map(
    ({ started_at, heartbeat_at, leases, claimed_last_minute, settled_last_minute, ...row }) => ({
      ...row,
      started_at: started_at.toISOString(),
      heartbeat_at: heartbeat_at.toISOString(),
      leases: capCount(leases, leasesCountedTo),
      claimed_last_minute: row.state === "alive" ? claimed_last_minute : null,
      settled_last_minute: row.state === "alive" ? settled_last_minute : null,
    }),
  );
}
