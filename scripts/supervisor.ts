import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

/** How a process is asked to end in good order and, so many seconds later, made to. */
export type Manners = { stopSignal: NodeJS.Signals; stopWithinSeconds: number; lastSignal: NodeJS.Signals };

export type Service = Manners & {
  name: string;
  /** Starts the process; resolves with it once other services may rely on it. */
  start: () => Promise<ChildProcess>;
};

export type Supervisor = {
  /** Starts services, rejects if one cannot be started, and from then on starts again what dies. */
  run: (...services: Service[]) => Promise<void>;
  /** Stops everything, the last to be run first. */
  stop: () => Promise<void>;
  /** Whether everything was stopped on purpose, or given up because one service kept dying. */
  done: Promise<"stopped" | "gave up">;
};

export type SupervisorOptions = {
  report: (message: string) => void;
  firstPauseMs?: number;
  longestPauseMs?: number;
};

const deathsAllowed = 5;
const deathWindowMs = 60_000;

type Kept = { halt: () => Promise<void> };

/**
 * Keeps processes running. One that dies is started again after a pause that doubles; five deaths of one
 * within a minute end everything.
 */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const stopping = new AbortController();
  const stages: Kept[][] = [];
  const done = Promise.withResolvers<"stopped" | "gave up">();
  let outcome: "stopped" | "gave up" = "stopped";
  let stopped: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    stopping.abort();
    for (const stage of stages.reverse()) await Promise.all(stage.map(({ halt }) => halt()));
    done.resolve(outcome);
  }
  const stop = (): Promise<void> => {
    stopped ??= stopAll();
    return stopped;
  };
  const giveUp = (): void => {
    outcome = "gave up";
    void stop();
  };

  return {
    run: async (...services) => {
      const begun = await Promise.allSettled(
        services.map(async (service) =>
          keep(service, { ...options, first: await service.start(), stopping: stopping.signal, giveUp }),
        ),
      );
      const stage = begun.filter((result) => result.status === "fulfilled").map((result) => result.value);
      stages.push(stage);
      // Stopping began meanwhile and did not see them.
      if (stopping.signal.aborted) await Promise.all(stage.map(({ halt }) => halt()));
      const failed = begun.find((result) => result.status === "rejected");
      if (failed) throw failed.reason;
    },
    stop,
    done: done.promise,
  };
}

type KeepOptions = SupervisorOptions & { first: ChildProcess; stopping: AbortSignal; giveUp: () => void };

function keep(service: Service, options: KeepOptions): Kept {
  const { report, stopping, firstPauseMs = 1000, longestPauseMs = 30_000 } = options;
  let child = options.first;

  async function replaceDead(): Promise<void> {
    let deaths: number[] = [];
    let pauseMs = firstPauseMs;
    let startedMs = performance.now();
    for (;;) {
      const end = await ending(child);
      if (stopping.aborted) return;
      const nowMs = performance.now();
      if (nowMs - startedMs > deathWindowMs) pauseMs = firstPauseMs;
      deaths = [...deaths.filter((deathMs) => nowMs - deathMs < deathWindowMs), nowMs];
      if (deaths.length >= deathsAllowed) {
        report(
          `The ${service.name} died ${deathsAllowed} times within a minute (it ${end}): stopping everything`,
        );
        return options.giveUp();
      }
      report(`The ${service.name} ${end}; starting it again in ${pauseMs / 1000} s`);
      await sleep(pauseMs, undefined, { signal: stopping }).catch(() => {});
      if (stopping.aborted) return;
      pauseMs = Math.min(longestPauseMs, pauseMs * 2);
      startedMs = performance.now();
      // A start that fails leaves the dead one in its place, and so counts as one more death.
      child = await service.start().catch((error) => {
        report(String(error));
        return child;
      });
      if (stopping.aborted) return;
    }
  }

  const running = replaceDead();
  return {
    halt: async () => {
      await terminate(child, service);
      await running;
      // One that was being started when stopping began.
      await terminate(child, service);
    },
  };
}

/** Resolves with how the process ended, in words; at once if it has ended before. */
async function ending(child: ChildProcess): Promise<string> {
  if (!hasEnded(child)) await new Promise((resolve) => child.once("exit", resolve));
  return child.signalCode ? `was ended by ${child.signalCode}` : `ended with code ${child.exitCode}`;
}

/** Resolves once the process has ended. */
export async function terminate(child: ChildProcess, manners: Manners): Promise<void> {
  if (hasEnded(child)) return;
  child.kill(manners.stopSignal);
  const timer = setTimeout(() => child.kill(manners.lastSignal), manners.stopWithinSeconds * 1000);
  await ending(child);
  clearTimeout(timer);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
