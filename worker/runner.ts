import { hostname } from "node:os";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Logger } from "pino";
import { isDatabaseAway } from "#lib/db/away.ts";
import type { Database } from "#lib/db/database.ts";
import { listen } from "#lib/db/listen.ts";
import { version } from "#lib/delivery/request.ts";
import type { Sender } from "#lib/http/send.ts";
import { actOnSignal } from "#lib/queue/disable.ts";
import { fanOut, fanOutBatchSize } from "#lib/queue/fan-out.ts";
import { handBack, handBackStrays } from "#lib/queue/hand-back.ts";
import { writeLatency } from "#lib/queue/latency.ts";
import { settle } from "#lib/queue/settle.ts";
import { stoppedAmong } from "#lib/queue/stopped.ts";
import { wakeChannel, wakeWorkers } from "#lib/queue/wake.ts";
import {
  heartbeat,
  heartbeatSeconds,
  leaseSeconds,
  registerWorker,
  retireWorker,
} from "#lib/queue/workers.ts";
import { createSearchHasher } from "#lib/search/hash.ts";
import { createLanes } from "./lanes.ts";
import { createLatencyRecorder } from "./latency.ts";
import { createMinuteCounter } from "./minute-counter.ts";
import { type Claimed, createPipeline, newLeaseToken } from "./pipeline.ts";
import { createSettler } from "./settler.ts";
import { createSignal, type Signal } from "./signal.ts";

/** Rows of one claim: larger batches cost the database less for each row. */
const claimSize = 500;
/** Claimed and not yet settled, for each slot: enough to keep the wire busy while a claim is under way. */
const heldPerSlot = 16;
const busyPollMs = 10;
const idlePollMs = 25;
/** For how long after the last find the worker polls as if busy. */
const busyForMs = 1_000;
const firstPauseMs = 100;
const lastPauseMs = 5_000;
/** A token is for a send within this time: the rate is kept on the wire. */
const tokenMs = 1_000;
/** After a fault of ours before sending, which would only repeat at once. */
const faultDelaySeconds = 30;
const latencyEveryMs = 15_000;
/** So long a new worker claims nothing, for the others to make room; alone, for those that start together with it. */
const joinMs = { amongOthers: 250, alone: 50 };
/** What was away for this worker was away for others too: so long they get to renew their leases as well. */
const graceAfterLapseMs = leaseSeconds * 1_000;

export type Runner = {
  workerId: string;
  /** Claims nothing more, settles what is in flight, returns the rest. Resolves when no lease is left. */
  stop: () => Promise<void>;
  /** Rejects when the worker cannot go on. */
  failed: Promise<never>;
  /** Whether others that seem lost are so, and not only cut off together with this worker. */
  mayReap: () => boolean;
};

/**
 * Starts a worker's loops: fan-out, claim, settle, heartbeat; each goes on by itself after an error. Waits for a
 * database that is away.
 */
export async function startRunner(options: {
  database: Database;
  /** A direct connection, for LISTEN. */
  listenUrl: string;
  sender: Sender;
  /** The current key, then those before it. */
  secretKeys: readonly [Buffer, ...Buffer[]];
  slots: number;
  log: Logger;
}): Promise<Runner> {
  const { database, sender, slots, log } = options;
  const { pool } = database;
  const { id: workerId, alive } = await register(pool, log);
  const pipeline = createPipeline({ pool, workerId, sender, secretKeys: options.secretKeys });
  const hashValue = createSearchHasher(options.secretKeys[0]);

  const work = createSignal();
  const outbox = createSignal();
  let running = true;
  let workersAlive = alive;
  let leaseEndsAt = performance.now() + leaseSeconds * 1_000;
  /** How often the lease ran out before it was renewed. What was claimed before then may be somebody else's. */
  let lapses = 0;
  let reapsFrom = 0;
  /** How many deliveries of each claim are still in hand. */
  const inHand = new Map<string, number>();
  const release = (token: string, count = 1) => {
    const left = (inHand.get(token) ?? 0) - count;
    if (left > 0) inHand.set(token, left);
    else inHand.delete(token);
  };

  const claimedCounter = createMinuteCounter();
  const settledCounter = createMinuteCounter();
  const latency = createLatencyRecorder((rows) => writeLatency(pool, { workerId, rows }));
  const flushLatency = () =>
    latency.flush().catch((error) => log.warn({ err: error }, "could not write latencies"));

  const settler = createSettler({
    settle: async (results) => {
      const { stopped, signals } = await settle(pool, { workerId, results });
      if (stopped.length > 0) await returnLeases(lanes.drain(stopped), 0);
      for (const signal of signals) {
        // The next failure asks again.
        await actOnSignal(pool, signal).catch((error) =>
          log.error({ err: error }, "could not disable or warn"),
        );
        if (signal.signal.kind !== "warn") await returnLeases(lanes.drain([signal.endpointId]), 0);
      }
    },
    onSettled: (batch) => {
      for (const settlement of batch) release(settlement.leaseToken);
      latency.count(batch);
      settledCounter.add(batch.length, performance.now());
      work.notify();
    },
    log,
  });

  const lanes = createLanes<Claimed>({
    slots,
    run: async (claimed) => {
      // Somebody else may be sending it by now; what nobody took is found as a stray.
      if (performance.now() > leaseEndsAt) return release(claimed.row.leaseToken);
      if (claimed.row.limited && performance.now() > claimed.claimedAtMs + tokenMs) {
        return returnLeases([claimed], 0);
      }
      try {
        const settlement = await pipeline.deliver(claimed);
        if (settlement) settler.add(settlement);
        else release(claimed.row.leaseToken);
      } catch (error) {
        log.error({ err: error, delivery: claimed.row.id }, "could not make the request");
        await returnLeases([claimed], faultDelaySeconds);
      }
    },
  });
  const held = () => lanes.queued() + lanes.active() + settler.waiting();

  /** What fails to go back stays leased and is found as a stray at the next heartbeat. */
  async function returnLeases(claimed: Claimed[], delaySeconds: number): Promise<void> {
    if (claimed.length === 0) return;
    const leases = claimed.map(({ row }) => ({
      deliveryId: row.id,
      leaseToken: row.leaseToken,
      endpointId: row.endpointId,
    }));
    await handBack(pool, leases, delaySeconds).catch((error) =>
      log.warn({ err: error }, "could not return leases"),
    );
    for (const lease of leases) release(lease.leaseToken);
  }

  /** Returns whether anything was claimed. */
  async function claimOnce(): Promise<boolean> {
    const room = slots * heldPerSlot - held();
    if (room < Math.min(claimSize, slots * heldPerSlot) / 2 || performance.now() > leaseEndsAt) return false;
    const token = newLeaseToken();
    const lapsesBefore = lapses;
    inHand.set(token, Number.MAX_SAFE_INTEGER);
    try {
      const { claimed, exhausted } = await pipeline.claim({
        want: Math.min(claimSize, room),
        leaseToken: token,
        workersAlive,
      });
      inHand.set(token, claimed.length);
      claimedCounter.add(claimed.length, performance.now());
      if (claimed.length === 0) inHand.delete(token);
      if (!running || lapses > lapsesBefore) {
        await returnLeases(claimed, 0);
        return true;
      }
      for (const [endpointId, group] of Map.groupBy(claimed, ({ row }) => row.endpointId)) {
        lanes.add(endpointId, group[0]?.endpoint.concurrency ?? 1, group);
      }
      return claimed.length > 0 || !exhausted;
    } catch (error) {
      inHand.delete(token);
      throw error;
    }
  }

  async function beat(): Promise<void> {
    const sentAt = performance.now();
    const pace = { claimed: claimedCounter.total(sentAt), settled: settledCounter.total(sentAt) };
    workersAlive = await heartbeat(pool, { workerId, pace });
    lanes.shareAmong(workersAlive);
    if (performance.now() > leaseEndsAt) {
      lapses++;
      reapsFrom = performance.now() + graceAfterLapseMs;
      log.warn({ waiting: lanes.queued() }, "the lease had run out; what waits here is not sent");
      // Before the lease is renewed, so that none of it goes out meanwhile. What is still ours goes back.
      void returnLeases(lanes.drain(), 0);
    }
    leaseEndsAt = Math.max(leaseEndsAt, sentAt + leaseSeconds * 1_000);
    const strays = await handBackStrays(pool, { workerId, tokens: [...inHand.keys()] });
    if (strays > 0) log.warn({ deliveries: strays }, "handed back deliveries whose claim went astray");
    await returnLeases(lanes.drain(await stoppedAmong(pool, lanes.waitingFor())), 0);
  }

  const tryToBeat = () => beat().catch((error) => log.warn({ err: error }, "heartbeat failed"));

  /** Until the others know of this worker, and it of them, they would send more than an endpoint's concurrency. */
  async function join(): Promise<void> {
    await sleep(alive > 1 ? joinMs.amongOthers : joinMs.alone);
    await tryToBeat();
  }

  const loop = (name: string, signal: Signal, step: () => Promise<boolean>) =>
    runLoop({ name, signal, step, running: () => running, log });
  const loops = [
    join().then(() => loop("claim", work, claimOnce)),
    loop("fan-out", outbox, async () => {
      const taken = await fanOut(pool, { hashValue });
      if (taken > 0) work.notify();
      return taken === fanOutBatchSize;
    }),
  ];
  const listener = listen({
    url: options.listenUrl,
    channel: wakeChannel,
    onNotify: (wake) => {
      if (wake === "workers" || wake === null) void tryToBeat();
      if (wake === "workers") return;
      if (wake !== "deliveries") outbox.notify();
      if (wake !== "events") work.notify();
    },
    onLost: (error) => log.warn({ err: error }, "lost the connection that listens; polling goes on"),
  });
  wakeWorkers(pool, "workers");
  const heart = setInterval(() => void tryToBeat(), heartbeatSeconds * 1_000);
  const latencyTimer = setInterval(() => void flushLatency(), latencyEveryMs);

  return {
    workerId,
    mayReap: () => performance.now() <= leaseEndsAt && performance.now() >= reapsFrom,
    failed: settler.ended.then(
      () => new Promise<never>(() => undefined),
      (error) => Promise.reject(error),
    ),
    stop: async () => {
      running = false;
      work.notify();
      outbox.notify();
      await Promise.all(loops);
      await returnLeases(lanes.drain(), 0);
      while (lanes.active() > 0) await work.wait(50);
      settler.finish();
      await settler.ended;
      clearInterval(heart);
      clearInterval(latencyTimer);
      await flushLatency();
      await Promise.all([listener.close(), retireWorker(pool, workerId)]);
    },
  };
}

async function register(pool: pg.Pool, log: Logger): ReturnType<typeof registerWorker> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, lastPauseMs)) {
    try {
      return await registerWorker(pool, { hostname: hostname(), pid: process.pid, version });
    } catch (error) {
      if (!isDatabaseAway(error as Error)) throw error;
      log.warn({ err: error, retryInMs: pauseMs }, "the database is away");
      await sleep(pauseMs);
    }
  }
}

/** Repeats `step` while it finds something; otherwise waits for a signal or the next poll. Backs off after errors. */
async function runLoop(options: {
  name: string;
  signal: Signal;
  step: () => Promise<boolean>;
  running: () => boolean;
  log: Logger;
}): Promise<void> {
  const { name, signal, step, running, log } = options;
  let pauseMs = firstPauseMs;
  let lastFoundAt = 0;
  while (running()) {
    try {
      const found = await step();
      pauseMs = firstPauseMs;
      if (found) lastFoundAt = performance.now();
      else await signal.wait(performance.now() - lastFoundAt < busyForMs ? busyPollMs : idlePollMs);
    } catch (error) {
      log.error({ err: error, loop: name, retryInMs: pauseMs }, "queue operation failed");
      await signal.wait(pauseMs);
      pauseMs = Math.min(pauseMs * 2, lastPauseMs);
    }
  }
}
