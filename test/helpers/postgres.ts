import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

export type TestDatabase = {
  url: string;
  /** The test's own connections; ended after the file. */
  pool: pg.Pool;
};

const ownName = "posthorn-test";
const made: { name: string; pool: pg.Pool }[] = [];

/** A migrated database of this test file's own: a copy of the template, dropped after the file. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  await withAdmin(async (client) => {
    await client.query(`create database ${name} template posthorn_template`);
    // The producer's database has its own search path, so every name of ours must say its schema.
    await client.query(`alter database ${name} set search_path = ''`);
  });
  const url = new URL(inject("postgresUrl"));
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href, max: 5, application_name: ownName });
  pool.on("error", () => {});
  made.push({ name, pool });
  return { url: url.href, pool };
}

/** Drops this file's databases. Returns the names of whatever was still connected, the tests' pools apart. */
export async function dropTestDatabases(): Promise<string[]> {
  const left: string[] = [];
  for (const { name, pool } of made.splice(0)) {
    await pool.end();
    const connected = await connectionsTo(name);
    left.push(...connected);
    // By force only where it takes some: it may not end an autovacuum, which gives way by itself.
    const force = connected.length > 0 ? " with (force)" : "";
    await withAdmin((client) => client.query(`drop database ${name}${force}`));
  }
  return left;
}

/** What is connected to the database apart from the test's pool; a connection that is closing gets a second. */
async function connectionsTo(database: string): Promise<string[]> {
  return withAdmin(async (client) => {
    let names: string[] = [];
    for (let attempt = 0; attempt < 20; attempt++) {
      const { rows } = await client.query<{ name: string }>(
        "select application_name as name from pg_stat_activity where datname = $1 and application_name <> $2",
        [database, ownName],
      );
      names = rows.map((row) => row.name || "a connection without a name");
      if (names.length === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return names;
  });
}

async function withAdmin<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: inject("postgresUrl"), application_name: ownName });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
