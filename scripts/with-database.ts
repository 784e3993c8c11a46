import { createDatabase, type Database } from "#lib/db/database.ts";

/** Runs `work` on one connection that is closed after it. */
export async function withDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = createDatabase({
    url,
    maxConnections: 1,
    applicationName: "posthorn-start",
    statementTimeoutMs: 10_000,
    onError: () => undefined,
  });
  try {
    return await work(database);
  } finally {
    await database.pool.end();
  }
}
