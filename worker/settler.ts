import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { type Settlement, settleBatchSize } from "#lib/queue/settle.ts";
import { createSignal } from "./signal.ts";

/** Enough to be worth a transaction; fewer wait a moment for company. */
const worthwhile = 300;
const lingerMs = 10;
const retryMs = 500;
/** Batches in flight. An endpoint's results always take the same turn, so that batches never wait for each other's locks. */
const atOnce = 2;
/** SQLSTATE classes 22 (data exception) and 23 (integrity constraint violation). */
const dataFault = /^2[23]/;

export type Settler = {
  add: (settlement: Settlement) => void;
  /** Results that are not settled yet. */
  waiting: () => number;
  /** Settles what is left, then lets `ended` resolve. */
  finish: () => void;
  ended: Promise<void>;
};

/**
 * Gathers results and settles them in batches. A batch that fails is tried again until it succeeds: the attempts
 * were made, so their results must not be lost while this process lives. `ended` rejects only when the database
 * refuses a result for what it holds; the process then ends, and its lease brings the delivery back.
 */
export function createSettler(options: {
  settle: (batch: Settlement[]) => Promise<void>;
  onSettled: (batch: Settlement[]) => void;
  log: Logger;
}): Settler {
  const { log } = options;
  const queues = Array.from({ length: atOnce }, () => ({
    added: createSignal(),
    buffer: [] as Settlement[],
  }));
  let unsettled = 0;
  let finishing = false;

  async function settleBatch(batch: Settlement[]): Promise<void> {
    for (;;) {
      try {
        await options.settle(batch);
        unsettled -= batch.length;
        options.onSettled(batch);
        return;
      } catch (error) {
        const code = (error as { code?: string }).code;
        log.error({ code, results: batch.length }, "settling failed");
        if (code && dataFault.test(code)) return settleApart(batch, error);
        await sleep(retryMs);
      }
    }
  }

  /** Trying again would not help: find the one that the database refuses, and let the others pass. */
  async function settleApart(batch: Settlement[], error: unknown): Promise<void> {
    if (batch.length === 1) throw error;
    const middle = batch.length >> 1;
    await settleBatch(batch.slice(0, middle));
    await settleBatch(batch.slice(middle));
  }

  async function settleQueue(queue: (typeof queues)[number]): Promise<void> {
    while (!finishing || queue.buffer.length > 0) {
      if (queue.buffer.length === 0) await queue.added.wait(1_000);
      if (queue.buffer.length < worthwhile && !finishing) await sleep(lingerMs);
      const batch = queue.buffer.slice(0, settleBatchSize);
      queue.buffer = queue.buffer.slice(settleBatchSize);
      if (batch.length > 0) await settleBatch(batch);
    }
  }

  return {
    add: (settlement) => {
      const queue = queues[queueOf(settlement.endpointId)] as (typeof queues)[number];
      queue.buffer.push(settlement);
      unsettled++;
      if (queue.buffer.length === 1 || queue.buffer.length === worthwhile) queue.added.notify();
    },
    waiting: () => unsettled,
    finish: () => {
      finishing = true;
      for (const queue of queues) queue.added.notify();
    },
    ended: Promise.all(queues.map(settleQueue)).then(() => undefined),
  };
}

/** By the id's last digit, which is random in a UUID of any version. */
function queueOf(endpointId: string): number {
  return Number.parseInt(endpointId.at(-1) as string, 16) % atOnce;
}
