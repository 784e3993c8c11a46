import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { afterEach } from "vitest";
import { createDatabase } from "#lib/db/database.ts";
import { createSender, type SenderOptions } from "#lib/http/send.ts";
import { createLogger } from "#lib/log.ts";
import { startRunner } from "#worker/runner.ts";
import { testSecretKey } from "./factories.ts";
import { allowedSubnets, startWorkerProcess, type WorkerProcess } from "./worker-process.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

export type TestWorker = { id: string; stop: () => Promise<void> };

/**
 * Starts a worker's loops in this process; it is stopped after the test unless the test does. `sender`: what it may
 * reach, and how names are looked up, where that is not the loopback and the system's way.
 */
export async function startWorker(
  databaseUrl: string,
  options: { slots?: number; sender?: Partial<SenderOptions> } = {},
): Promise<TestWorker> {
  const database = createDatabase({
    url: databaseUrl,
    maxConnections: 8,
    applicationName: "posthorn-worker",
    statementTimeoutMs: 30_000,
    onError: () => undefined,
  });
  const sender = createSender({ allowedSubnets, ...options.sender });
  const runner = await startRunner({
    database,
    listenUrl: databaseUrl,
    sender,
    secretKeys: [testSecretKey],
    slots: options.slots ?? 32,
    log: createLogger("test"),
  });
  let stopped: Promise<void> | null = null;
  const stop = () => {
    stopped ??= runner
      .stop()
      .then(() => Promise.all([sender.close(), database.pool.end()]))
      .then(() => undefined);
    return stopped;
  };
  stops.push(stop);
  return { id: runner.workerId, stop };
}

/** Starts a worker as a process of its own, as in production; it is ended after the test unless the test does. */
export async function spawnWorker(
  databaseUrl: string,
  options: { slots?: number; preload?: string; onOutput?: (text: string) => void } = {},
): Promise<WorkerProcess> {
  const worker = await startWorkerProcess({ databaseUrl, secretKey: testSecretKey, ...options });
  stops.push(() => worker.end("SIGKILL").then(() => undefined));
  return worker;
}

/** Waits until `check` answers with something true, and returns that. */
export async function eventually<T>(
  check: () => Promise<T | null | undefined | false>,
  timeoutMs = 15_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await check();
    if (answer) return answer;
    if (performance.now() > deadline) throw new Error("what was waited for did not happen in time");
    await sleep(20);
  }
}

/** Waits until so many deliveries are in a state. */
export function waitForState(pool: pg.Pool, state: string, count: number, timeoutMs?: number): Promise<true> {
  return eventually(async () => {
    const { rows } = await pool.query("select count(*)::int as n from posthorn.deliveries where state = $1", [
      state,
    ]);
    return rows[0].n === count;
  }, timeoutMs);
}
