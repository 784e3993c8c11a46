import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { leaseSeconds } from "#lib/queue/workers.ts";
import { startWorkerProcess, type WorkerProcess } from "#test/helpers/worker-process.ts";
import type { Random } from "./plan.ts";

/** So long a kill waits for its worker to have something in flight: one that has nothing is no loss. */
const busyWithinMs = 2_000;
/** Past the lease, and long enough for another worker to take over. */
const stoppedForMs = (leaseSeconds + 10) * 1_000;

type Watch = {
  isBusy: (workerId: string) => Promise<boolean>;
  /** Called once the worker does nothing any more. */
  onDown: (workerId: string) => Promise<void>;
};

export type Crew = {
  start: () => Promise<void>;
  /** `kill -9` of a random worker, with another one in its place. Resolves once that works. */
  kill: (watch: Watch) => Promise<void>;
  /** SIGSTOP of a random worker past its lease, with another one in its place meanwhile, then SIGCONT. */
  stop: (watch: Watch) => Promise<void>;
  /** SIGTERM to all; throws if one does not end well. */
  dismiss: () => Promise<void>;
  /** Those that ended without being told to, in words. */
  fallen: () => string[];
  /** Ends every process at once, also those that are starting. */
  end: () => Promise<void>;
};

/** The workers: real processes, and those that take a fallen one's place. */
export function createCrew(options: {
  size: number;
  slots: number;
  databaseUrl: string;
  secretKey: Buffer;
  random: Random;
}): Crew {
  const { size, slots, databaseUrl, secretKey, random } = options;
  const children = new Set<ChildProcess>();
  const working = new Set<WorkerProcess>();
  const fallen: string[] = [];
  let ending = false;

  async function add(): Promise<void> {
    if (ending) return;
    const onSpawn = (child: ChildProcess) => {
      children.add(child);
      child.once("exit", () => children.delete(child));
    };
    const worker = await startWorkerProcess({ databaseUrl, secretKey, slots, onSpawn });
    working.add(worker);
    worker.child.once("exit", (code, signal) => {
      if (!working.delete(worker) || ending) return;
      fallen.push(`worker ${worker.id} ended by itself (${signal ?? code})`);
      process.stderr.write(`${fallen.at(-1)}:\n${worker.log().join("\n")}\n`);
    });
  }

  /** A worker of those that work; it counts as none of them from now on. */
  async function choose({ isBusy }: Watch): Promise<WorkerProcess> {
    while (working.size === 0) await sleep(20);
    const chosen = [...working][Math.floor(random() * working.size)] as WorkerProcess;
    working.delete(chosen);
    const deadline = performance.now() + busyWithinMs;
    while (performance.now() < deadline && !(await isBusy(chosen.id))) await sleep(5);
    return chosen;
  }

  return {
    start: async () => void (await Promise.all(Array.from({ length: size }, add))),
    kill: async (watch) => {
      const worker = await choose(watch);
      await worker.end("SIGKILL");
      await Promise.all([add(), watch.onDown(worker.id)]);
    },
    stop: async (watch) => {
      const worker = await choose(watch);
      worker.child.kill("SIGSTOP");
      await Promise.all([add(), watch.onDown(worker.id), sleep(stoppedForMs)]);
      worker.child.kill("SIGCONT");
      working.add(worker);
    },
    dismiss: async () => {
      const crew = [...working];
      working.clear();
      const codes = await Promise.all(crew.map((worker) => worker.end("SIGTERM")));
      const wrong = codes.findIndex((code) => code !== 0);
      if (wrong >= 0) throw new Error(`worker ${crew[wrong]?.id} ended with ${codes[wrong]} after SIGTERM`);
    },
    fallen: () => fallen,
    end: async () => {
      ending = true;
      await Promise.all(
        [...children].map((child) => {
          const ended = once(child, "exit");
          child.kill("SIGKILL");
          return ended;
        }),
      );
    },
  };
}
