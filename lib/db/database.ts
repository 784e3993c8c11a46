import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import pg from "pg";
import * as schema from "#drizzle/schema/index.ts";
import { isSilent } from "./away.ts";

/** A pool, and Drizzle over it. Queue operations use the pool's own protocol; everything else uses `orm`. */
export type Database = { pool: pg.Pool; orm: Orm };
export type Orm = NodePgDatabase<typeof schema>;
/** One transaction's connection, in both forms. */
export type Transaction = { client: pg.PoolClient; orm: Orm };
/** What a queue operation needs: a pool outside of transactions, a client within. */
export type Queryable = Pick<pg.Pool | pg.PoolClient, "query">;

const answerWithinMs = 5_000;

/** Opens no connection yet. `onError` hears of idle connections that broke; the pool replaces them itself. */
export function createDatabase(options: {
  url: string;
  maxConnections: number;
  applicationName: string;
  statementTimeoutMs: number;
  onError: (error: Error) => void;
}): Database {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections,
    application_name: options.applicationName,
    statement_timeout: options.statementTimeoutMs,
    // For a connection that a network lost without a word: the server would have answered by now.
    query_timeout: options.statementTimeoutMs + answerWithinMs,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // What does not wait for an answer goes out at once, in order: a transaction's begin with its first statement.
    pipeline: true,
  });
  pool.on("error", options.onError);
  // A connection that breaks while it is taken also says so to whoever listens on it, and to the whole process if
  // nobody does. Its statements fail as well, so there is nothing to do here.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return { pool, orm: drizzle({ client: pool, schema }) };
}

/** Runs `work` in one transaction; a rejection rolls everything back and is passed on. */
export function inTransaction<T>(database: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return inClientTransaction(database.pool, (client) => work({ client, orm: drizzle({ client, schema }) }));
}

const shortReadMs = 3_000;

/** Reads for a list, whose filters may be such that it takes long: each statement is stopped after 3 s. */
export function inShortRead<T>(database: Database, work: (orm: Orm) => Promise<T>): Promise<T> {
  return inTransaction(database, async ({ client, orm }) => {
    await client.query(`set local statement_timeout = ${shortReadMs}`);
    return work(orm);
  });
}

/** The same for queue operations, which need no Drizzle. */
export async function inClientTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  // The pool does not listen while it is lent: a connection lost between two statements would end the process.
  const onError = () => {
    broken = true;
  };
  client.on("error", onError);
  try {
    const begun = client.query("begin");
    // It only fails together with the connection, and then so does whatever follows.
    begun.catch(() => undefined);
    const result = await work(client);
    await begun;
    await client.query("commit");
    return result;
  } catch (error) {
    broken =
      isSilent(error) ||
      (await client.query("rollback").then(
        () => false,
        () => true,
      ));
    throw error;
  } finally {
    client.off("error", onError);
    client.release(broken);
  }
}
