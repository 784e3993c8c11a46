import path from "node:path";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate as applyMigrations } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";

const oldestServer = 150_000;
const lockWaitSeconds = 120;

/**
 * Brings the schema `posthorn` up to date and makes the partitions of the days ahead. Any number of processes
 * may call it at once: one works, the others wait. Throws the database's error when a migration fails, which
 * then has changed nothing.
 */
export async function migrate(databaseUrl: string): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: "posthorn-migrate",
    connectionTimeoutMillis: 10_000,
  });
  // Without a listener the loss of the connection would end the process; the running query rejects anyway.
  client.on("error", () => {});
  await client.connect();
  try {
    await requireServer(client);
    await client.query(`set lock_timeout = '${lockWaitSeconds}s'`);
    // Held by the session, over all the transactions below, and let go at its end.
    await client.query("select pg_advisory_lock(hashtextextended('posthorn.migrate', 0))");
    await applyMigrations(drizzle({ client }), {
      migrationsFolder: path.join(import.meta.dirname, "migrations"),
      migrationsSchema: "posthorn",
      migrationsTable: "migrations",
    });
    await client.query("select posthorn.ensure_partitions()");
  } finally {
    await client.end();
  }
}

async function requireServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: number; name: string }>(
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as name",
  );
  const server = rows[0];
  if (server && server.number < oldestServer) {
    throw new Error(`PostgreSQL ${server.name} is too old: 15 or later is needed`);
  }
}

if (import.meta.main) {
  const databaseUrl = process.env.DATABASE_URL;
  if (!databaseUrl) {
    console.error("DATABASE_URL must be set to the database to migrate");
    process.exit(1);
  }
  await migrate(databaseUrl);
}
