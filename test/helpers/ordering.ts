import { inClientTransaction } from "#lib/db/database.ts";
import { fanOut } from "#lib/queue/fan-out.ts";
import { releaseBehind } from "#lib/queue/ordering.ts";
import { type ResendResult, resendDelivery } from "#lib/queue/resend.ts";
import type { Settlement } from "#lib/queue/settle.ts";
import type { Ordering } from "#lib/vocabulary.ts";
import { createEndpoint, fanOutOptions, publish, type TestEndpoint } from "./factories.ts";
import { createTestQueue, type TestQueue } from "./queue.ts";

/** Neutral, so that no breaker opens. */
const refused = {
  attemptReason: "bad_request",
  reason: "bad_request",
  verdict: "neutral",
  status: 400,
} as const;
/** To be tried again in a minute. */
export const failed = { ...refused, state: "failed", outcome: "transient", delayMs: 60_000 } as const;
export const dead = { ...refused, state: "dead_letter", outcome: "permanent" } as const;

export type OrderedQueue = TestQueue & {
  endpointWith: (ordering: Ordering, url?: string) => Promise<TestEndpoint>;
  /** Publishes one event for each key, in this order, and returns the deliveries' ids. */
  deliver: (endpoint: TestEndpoint, ...keys: (string | undefined)[]) => Promise<string[]>;
  /** Claims what may go, says that it went like this, and returns the ids. */
  send: (change?: Partial<Settlement>) => Promise<string[]>;
  /** What may go now, without taking it. */
  free: () => Promise<string[]>;
  resend: (id: string, options?: { force?: boolean }) => Promise<ResendResult>;
  discard: (id: string) => Promise<void>;
};

/** A queue whose endpoints keep an order. */
export async function createOrderedQueue(): Promise<OrderedQueue> {
  const queue = await createTestQueue();
  const { pool } = queue.db;
  return {
    ...queue,
    endpointWith: (ordering, url = "http://127.0.0.1:9/") =>
      createEndpoint(pool, { url, ordering, concurrency: 64, baseSeconds: 1 }),
    deliver: async (endpoint, ...keys) => {
      const events: string[] = [];
      for (const orderingKey of keys) {
        const key = orderingKey === undefined ? {} : { orderingKey };
        events.push(await publish(pool, { affiliate: endpoint.affiliateKey, ...key }));
      }
      await fanOut(pool, fanOutOptions);
      const { rows } = await pool.query(
        "select id from posthorn.deliveries where event_id = any($1) and endpoint_id = $2 order by id",
        [events, endpoint.id],
      );
      return rows.map((row) => row.id);
    },
    send: async (change = {}) => {
      const rows = await queue.take();
      if (rows.length > 0) await queue.settleAll(rows, change);
      return rows.map((row) => row.id);
    },
    free: async () => {
      const { rows } = await pool.query(
        "select id from posthorn.deliveries where state in ('pending', 'failed') and not blocked order by id",
      );
      return rows.map((row) => row.id);
    },
    resend: (id, options = {}) => inClientTransaction(pool, (client) => resendDelivery(client, id, options)),
    discard: async (id) => {
      await pool.query("update posthorn.deliveries set state = 'discarded', ended_at = now() where id = $1", [
        id,
      ]);
      await releaseBehind(pool, [id]);
    },
  };
}
