import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { migrate } from "#drizzle/migrate.ts";
import { startEmbeddedPostgres, stopPostgres } from "#scripts/embedded-postgres.ts";

/** What PostgreSQL calls its ways of shutting down: clients are disconnected; everything is dropped as it is. */
export type Shutdown = "fast" | "immediate";

export type OwnPostgres = {
  url: string;
  /** Shuts it down, waits, and starts it again on the same port. One at a time. */
  restart: (shutdown: Shutdown, downForMs?: number) => Promise<void>;
  end: () => Promise<void>;
};

/**
 * Starts a migrated PostgreSQL that may be shut down, in a temporary folder, and durable as it is delivered: what
 * was acknowledged must outlive an immediate shutdown.
 */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "posthorn-own-"));
  const removeFolder = () => rm(dataDir, { recursive: true, force: true });
  const postgres = await startEmbeddedPostgres({ dataDir }).catch(async (error) => {
    await removeFolder();
    throw error;
  });
  let child = postgres.process;
  let restarted = Promise.resolve();

  async function restart(shutdown: Shutdown, downForMs: number): Promise<void> {
    const ended = once(child, "exit");
    child.kill(shutdown === "fast" ? "SIGINT" : "SIGQUIT");
    await ended;
    await new Promise((resolve) => setTimeout(resolve, downForMs));
    child = await postgres.start();
  }
  async function end(): Promise<void> {
    await restarted.catch(() => undefined);
    await stopPostgres(child);
    await postgres.release();
    await removeFolder();
  }

  try {
    await migrate(postgres.url);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    url: postgres.url,
    restart: (shutdown, downForMs = 0) => {
      restarted = restarted.then(() => restart(shutdown, downForMs));
      return restarted;
    },
    end,
  };
}
