import { type ClaimedRow, claim, firstLane } from "#lib/queue/claim.ts";
import { type Settled, type Settlement, settle } from "#lib/queue/settle.ts";
import { registerWorker } from "#lib/queue/workers.ts";
import { createTestDatabase, type TestDatabase } from "./postgres.ts";
import { resultOf } from "./settlements.ts";

/** A database of its own, with a worker that claims and settles when the test says so. */
export type TestQueue = {
  db: TestDatabase;
  worker: string;
  newWorker: () => Promise<string>;
  /** Claims; by the first worker, for as many as there are, unless the test says otherwise. */
  take: (options?: { want?: number; workerId?: string; workersAlive?: number }) => Promise<ClaimedRow[]>;
  /** Settles these as successes, but for `change`. */
  settleAll: (rows: ClaimedRow[], change?: Partial<Settlement>, workerId?: string) => Promise<Settled>;
};

export async function createTestQueue(): Promise<TestQueue> {
  const db = await createTestDatabase();
  const newWorker = async () =>
    (await registerWorker(db.pool, { hostname: "test", pid: 1, version: "test" })).id;
  const worker = await newWorker();
  let token = 0;
  return {
    db,
    worker,
    newWorker,
    take: async ({ want = 500, workerId = worker, workersAlive = 1 } = {}) => {
      const leaseToken = String(++token);
      return (await claim(db.pool, { after: firstLane, want, workerId, leaseToken, workersAlive })).rows;
    },
    settleAll: (rows, change = {}, workerId = worker) =>
      settle(db.pool, { workerId, results: rows.map((row) => resultOf(row, change)) }),
  };
}
