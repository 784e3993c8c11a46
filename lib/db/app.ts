import { config } from "#lib/config.ts";
import { createLogger } from "#lib/log.ts";
import { createDatabase, type Database } from "./database.ts";

// On globalThis, so that development's module reloading does not open a pool per edit.
const holder = globalThis as { posthornDatabase?: Database };

/** The web process's database, opened at first use. Throws when DATABASE_URL is not set. */
export function appDatabase(): Database {
  holder.posthornDatabase ??= open();
  return holder.posthornDatabase;
}

/** Ends the pool, for a clean exit of the process or a test. */
export async function closeAppDatabase(): Promise<void> {
  const open = holder.posthornDatabase;
  delete holder.posthornDatabase;
  await open?.pool.end();
}

function open(): Database {
  const url = config().databaseUrl;
  if (!url) throw new Error("DATABASE_URL is not set");
  const log = createLogger("web");
  return createDatabase({
    url,
    maxConnections: 10,
    applicationName: "posthorn-web",
    statementTimeoutMs: 10_000,
    onError: (error) => log.warn({ code: (error as { code?: string }).code }, "database connection lost"),
  });
}
