import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type FolderLock, lockFolder } from "./folder-lock.ts";
import { freePort, requireFreePort } from "./ports.ts";
import { type Cluster, changePassword, dataVersion, initialise, openCluster } from "./postgres-cluster.ts";
import { errorCode, StartError } from "./start-error.ts";
import { type Manners, terminate } from "./supervisor.ts";

const run = promisify(execFile);
const majorVersion = "18";
const readyWithinSeconds = 300;
const maxLogBytes = 10 * 1024 * 1024;

/** A fast shutdown: clients are cut off, everything is written. At last an immediate one, to be recovered from. */
export const postgresManners: Manners = {
  stopSignal: "SIGINT",
  stopWithinSeconds: 60,
  lastSignal: "SIGQUIT",
};

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

/** What `writeSecret` kept in the file, if anything. */
export async function readSecret(file: string): Promise<string | undefined> {
  const text = await readFile(file, "utf8").catch((error) => {
    if (errorCode(error) !== "ENOENT") throw error;
    return "";
  });
  return text.trim() || undefined;
}

/** For the owner's eyes only; whole or absent, whatever happens meanwhile. */
export async function writeSecret(file: string, value: string): Promise<void> {
  const draft = `${file}.new`;
  await writeFile(draft, `${value}\n`, { mode: 0o600, flush: true });
  await rename(draft, file);
}

type Settled = EmbeddedPostgresOptions & { onProgress: (message: string) => void };

async function claimFolder(dataDir: string): Promise<FolderLock> {
  try {
    await mkdir(dataDir, { recursive: true });
    return await lockFolder(dataDir);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    throw new StartError(
      `${dataDir} cannot be written (${code}): set POSTHORN_DATA_DIR to a folder that can`,
    );
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

/**
 * Clears what a crash left in the data folder: a server whose supervisor was killed is stopped cleanly, and
 * processes of a server whose own master was killed, which end by themselves, are waited for.
 */
async function stopLeftover(folder: string, onProgress: (message: string) => void): Promise<void> {
  const left = await readPostmasterFile(folder);
  if (left === undefined) return;
  const isEmpty = async () => (await serverProcesses(folder, left.pid)).length === 0;
  if ((await serverProcesses(folder, left.pid)).includes(left.pid)) {
    onProgress("Stopping the PostgreSQL that an earlier run left behind");
    process.kill(left.pid, postgresManners.stopSignal);
    const stopped = await within(postgresManners.stopWithinSeconds, isEmpty);
    if (!stopped) process.kill(left.pid, postgresManners.lastSignal);
  }
  if (!(await within(10, isEmpty))) {
    throw new StartError(`a PostgreSQL (process ${left.pid}) works in ${folder} and does not stop`);
  }
  // PostgreSQL would take a stranger that has the process id by now for a server, and refuse to start.
  if (isAlive(left.pid)) await rm(path.join(folder, "postmaster.pid"), { force: true });
}

async function readPostmasterFile(folder: string): Promise<{ pid: number; status: string } | undefined> {
  const text = await readFile(path.join(folder, "postmaster.pid"), "utf8").catch(() => "");
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  return Number.isInteger(pid) && pid > 1 ? { pid, status: lines[7]?.trim() ?? "" } : undefined;
}

/** Where there is no /proc, only the master is looked at. */
async function serverProcesses(folder: string, master: number): Promise<number[]> {
  if (process.platform !== "linux") {
    const found = await run("ps", ["-o", "command=", "-p", String(master)]).catch(() => ({ stdout: "" }));
    return found.stdout.includes(folder) ? [master] : [];
  }
  const place = await realpath(folder);
  const pids = (await readdir("/proc")).map(Number).filter((pid) => pid > 1);
  const matches = await Promise.all(
    pids.map(async (pid) => {
      const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => "");
      return (
        cwd === place && (await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")).trim() === "postgres"
      );
    }),
  );
  return pids.filter((_, index) => matches[index]);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}

async function within(seconds: number, condition: () => Promise<boolean>): Promise<boolean> {
  for (const deadline = Date.now() + seconds * 1000; Date.now() < deadline; await sleep(50)) {
    if (await condition()) return true;
  }
  return false;
}
