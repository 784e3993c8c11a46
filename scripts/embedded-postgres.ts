import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type FolderLock, lockFolder } from "./folder-lock.ts";
import { freePort, requireFreePort } from "./ports.ts";
import { type Cluster, changePassword, dataVersion, initialise, openCluster } from "./postgres-cluster.ts";
import { postgresManners, readPostmasterFile, stopLeftover } from "./postgres-leftover.ts";
import { readSecret, writeSecret } from "./secret-file.ts";
import { errorCode, StartError } from "./start-error.ts";
import { terminate } from "./supervisor.ts";

const majorVersion = "18";
const readyWithinSeconds = 300;
const maxLogBytes = 10 * 1024 * 1024;

export type EmbeddedPostgresOptions = {
  /** Holds `postgres/` (the data), `postgres.log`, `database-password` and `lock`. */
  dataDir: string;
  /** A free one when not given. */
  port?: number | undefined;
  /** PostgreSQL settings over the usual ones. */
  settings?: Record<string, string>;
  onProgress?: (message: string) => void;
};

export type EmbeddedPostgres = {
  /** Of the database `posthorn`; its role may create further databases. */
  url: string;
  /** The first server process; `start` makes another one on the same port after it died. */
  process: ChildProcess;
  start: () => Promise<ChildProcess>;
  /** To be called once the last server process has ended. */
  release: () => Promise<void>;
};

/**
 * Starts PostgreSQL on loopback with its data kept in `dataDir`, and resolves once it takes connections.
 * What a crash left behind (a server without a master, a stale lock) is cleared away first.
 * Throws `StartError` when the folder or the port is taken.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = path.resolve(options.dataDir);
  const lock = await claimFolder(dataDir);
  try {
    return await startLocked({ ...options, dataDir, onProgress: options.onProgress ?? (() => {}) }, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

export function stopPostgres(child: ChildProcess): Promise<void> {
  return terminate(child, postgresManners);
}

type Settled = EmbeddedPostgresOptions & { onProgress: (message: string) => void };

async function claimFolder(dataDir: string): Promise<FolderLock> {
  try {
    await makeFolder(dataDir);
    return await lockFolder(dataDir);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    throw new StartError(
      `${dataDir} cannot be written (${code}): set POSTHORN_DATA_DIR to a folder that can`,
    );
  }
}

/** Not mkdir's own recursion, which tries for ever where a parent exists that takes no folders, as /proc does. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return;
    if (errorCode(error) !== "ENOENT" || path.dirname(folder) === folder) throw error;
    await makeFolder(path.dirname(folder));
    await mkdir(folder);
  }
}

async function startLocked(options: Settled, lock: FolderLock): Promise<EmbeddedPostgres> {
  const folder = path.join(options.dataDir, "postgres");
  await stopLeftover(folder, options.onProgress);
  const password = await prepareData(folder, options);
  const cluster = await openCluster(folder);
  const logFile = path.join(options.dataDir, "postgres.log");
  await rotate(logFile);

  if (options.port !== undefined) await requireFreePort(options.port, "POSTHORN_DATABASE_PORT");
  const port = options.port ?? (await freePort());
  const start = () => launch(cluster, { port, logFile, settings: options.settings ?? {} });
  return {
    url: `postgres://posthorn:${password}@127.0.0.1:${port}/posthorn`,
    process: await start(),
    start: async () => {
      await stopLeftover(folder, options.onProgress);
      return start();
    },
    release: lock.release,
  };
}

/** Returns the password. New data is made beside its place and moved there, so that it is whole or absent. */
async function prepareData(folder: string, options: Settled): Promise<string> {
  const passwordFile = path.join(options.dataDir, "database-password");
  const kept = await readSecret(passwordFile);
  const password = kept ?? randomBytes(24).toString("hex");
  const version = await dataVersion(folder);
  if (version !== undefined && version !== majorVersion) {
    throw new StartError(
      `${folder} holds data of PostgreSQL ${version}, and this release runs PostgreSQL ${majorVersion}: move the data ` +
        "with pg_upgrade or pg_dump, or set POSTHORN_DATA_DIR to another folder",
    );
  }
  if (version === undefined) {
    options.onProgress("Making a database");
    const draft = `${folder}.new`;
    await rm(draft, { recursive: true, force: true });
    await initialise(await openCluster(draft), { password });
    await rename(draft, folder);
  } else if (kept === undefined) {
    await changePassword(await openCluster(folder), { password });
  }
  // Last: while the file is missing, each start sets a new password.
  if (kept === undefined) await writeSecret(passwordFile, password);
  return password;
}

async function launch(
  cluster: Cluster,
  options: { port: number; logFile: string; settings: Record<string, string> },
): Promise<ChildProcess> {
  const log = await open(options.logFile, "a", 0o600);
  const settings = { ...usualSettings(), ...options.settings, port: String(options.port) };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = spawn(cluster.program("postgres"), ["-D", cluster.folderArgument, ...flags], {
    ...cluster.spawnOptions,
    stdio: ["ignore", log.fd, log.fd],
    // A group of its own, so that Ctrl-C in the terminal does not reach it before its clients have ended.
    detached: true,
  });
  let failure: Error | undefined;
  child.once("error", (error) => {
    failure = error;
  });
  child.once("exit", (code, signal) => {
    failure ??= new StartError(
      `PostgreSQL ended with ${signal ?? `code ${code}`} while starting; see ${options.logFile}`,
    );
  });
  try {
    for (const deadline = Date.now() + readyWithinSeconds * 1000; Date.now() < deadline; await sleep(20)) {
      if (failure) throw failure;
      const lock = await readPostmasterFile(cluster.folder);
      if (lock?.pid === child.pid && lock?.status === "ready") return child;
    }
  } finally {
    await log.close();
  }
  await stopPostgres(child);
  throw new StartError(
    `PostgreSQL was not ready within ${readyWithinSeconds} seconds; see ${options.logFile}`,
  );
}

/** For two cores and up to 24 GB, or less. Nothing here gives up durability. */
function usualSettings(): Record<string, string> {
  const memoryBytes = Math.min(os.totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const quarterMb = Math.floor(memoryBytes / 4 / 1024 / 1024);
  return {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: "100",
    shared_buffers: `${Math.max(32, Math.min(2048, quarterMb))}MB`,
    effective_cache_size: `${Math.max(64, quarterMb * 2)}MB`,
    max_wal_size: "4GB",
    random_page_cost: "1.1",
    log_line_prefix: "%m [%p] ",
    // A client's faulty statement and its values are the client's to report, without what is sensitive.
    log_min_messages: "log",
    log_min_error_statement: "panic",
  };
}

async function rotate(logFile: string): Promise<void> {
  const size = await stat(logFile).then(
    (found) => found.size,
    () => 0,
  );
  if (size > maxLogBytes) await rename(logFile, `${logFile}.1`);
}
