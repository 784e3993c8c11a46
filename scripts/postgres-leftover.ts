import { execFile } from "node:child_process";
import { readdir, readFile, readlink, realpath, rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { errorCode, StartError } from "./start-error.ts";
import type { Manners } from "./supervisor.ts";

const run = promisify(execFile);

/** A fast shutdown: clients are cut off, everything is written. At last an immediate one, to be recovered from. */
export const postgresManners: Manners = {
  stopSignal: "SIGINT",
  stopWithinSeconds: 60,
  lastSignal: "SIGQUIT",
};

/**
 * Clears what a crash left in the data folder: a server whose supervisor was killed is stopped cleanly, and so
 * are processes of a server whose own master was killed, beside which PostgreSQL would refuse to start.
 */
export async function stopLeftover(folder: string, onProgress: (message: string) => void): Promise<void> {
  const left = await readPostmasterFile(folder);
  if (left === undefined) return;
  const isEmpty = async () => (await serverProcesses(folder, left.pid)).length === 0;
  const servers = await serverProcesses(folder, left.pid);
  if (servers.includes(left.pid)) {
    onProgress("Stopping the PostgreSQL that an earlier run left behind");
    signal(left.pid, postgresManners.stopSignal);
    const stopped = await within(postgresManners.stopWithinSeconds, isEmpty);
    if (!stopped) signal(left.pid, postgresManners.lastSignal);
  } else {
    for (const pid of servers) signal(pid, "SIGTERM");
  }
  if (!(await within(10, isEmpty))) {
    throw new StartError(`a PostgreSQL (process ${left.pid}) works in ${folder} and does not stop`);
  }
  // PostgreSQL would take a stranger that has the process id by now for a server, and refuse to start.
  if (isAlive(left.pid)) await rm(path.join(folder, "postmaster.pid"), { force: true });
}

/** What a server tells of itself in its data folder, or told before it was killed. */
export async function readPostmasterFile(
  folder: string,
): Promise<{ pid: number; status: string } | undefined> {
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

/** It may have ended by itself meanwhile. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
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
