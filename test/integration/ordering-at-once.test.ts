import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { beforeEach, describe, expect, test } from "vitest";
import type { ClaimedRow } from "#lib/queue/claim.ts";
import { fanOut } from "#lib/queue/fan-out.ts";
import { reap } from "#lib/queue/reap.ts";
import { settle } from "#lib/queue/settle.ts";
import { retireWorker } from "#lib/queue/workers.ts";
import { fanOutOptions, publish, type TestEndpoint } from "#test/helpers/factories.ts";
import { createOrderedQueue, dead, failed, type OrderedQueue } from "#test/helpers/ordering.ts";
import { resultOf } from "#test/helpers/settlements.ts";

let { db, worker, take, settleAll, endpointWith, deliver, send, free, resend } = {} as OrderedQueue;

beforeEach(async () => {
  ({ db, worker, take, settleAll, endpointWith, deliver, send, free, resend } = await createOrderedQueue());
});

describe("an order, while several change it at once", () => {
  /** Fans out on a connection that stops before it inserts, which is after it has looked, until it is let go on. */
  function fanOutInSteps(): { looked: Promise<void>; goOn: () => void; done: Promise<number> } {
    const looked = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const connect = async () => {
      const client = await db.pool.connect();
      const query = async (config: { name?: string }) => {
        if (config.name === "fan_out_insert") {
          looked.resolve();
          await gate.promise;
        }
        return client.query(config as pg.QueryConfig);
      };
      return {
        query,
        on: client.on.bind(client),
        off: client.off.bind(client),
        release: (broken?: boolean) => client.release(broken),
      };
    };
    const done = fanOut({ connect } as unknown as pg.Pool, fanOutOptions);
    return { looked: looked.promise, goOn: gate.resolve, done };
  }

  test.each([
    ["is settled", (rows: ClaimedRow[]) => settleAll(rows)],
    [
      "is reaped for good",
      async ([row]: ClaimedRow[]) => {
        await db.pool.query("update posthorn.deliveries set lost_in_a_row = 2 where id = $1", [row?.id]);
        await retireWorker(db.pool, worker);
        await sleep(2);
        await reap(db.pool);
      },
    ],
  ])("one is put behind the head while that %s: it is freed", async (_how, end) => {
    const endpoint = await endpointWith("per_key");
    await deliver(endpoint, "k");
    const rows = await take();
    await publish(db.pool, { affiliate: endpoint.affiliateKey, orderingKey: "k" });
    const { looked, goOn, done } = fanOutInSteps();
    await looked;
    const ended = end(rows);
    await sleep(250);
    goOn();
    await Promise.all([done, ended]);
    expect(await free()).toHaveLength(1);
  });

  test("one comes while an earlier one is put back: it waits behind it", async () => {
    const endpoint = await endpointWith("per_key");
    const [first] = await deliver(endpoint, "k");
    await send(dead);
    await publish(db.pool, { affiliate: endpoint.affiliateKey, orderingKey: "k" });
    const { looked, goOn, done } = fanOutInSteps();
    await looked;
    const verdict = resend(first as string);
    await sleep(250);
    goOn();
    expect(await verdict).toBe("resent");
    await done;
    expect(await free()).toEqual([first]);
  });

  test("fan-out while the head is settled: nothing stays blocked, and never two of a key are in flight", async () => {
    const endpoints = [await endpointWith("per_key"), await endpointWith("per_key")];
    const keys = ["a", "b", "c"];
    const inFlight = new Set<string>();
    const order = new Map<string, string[]>();
    let publishing = true;
    const producer = (async () => {
      for (let i = 0; i < 150; i++) {
        const endpoint = endpoints[i % 2] as TestEndpoint;
        await publish(db.pool, {
          affiliate: endpoint.affiliateKey,
          orderingKey: keys[randomInt(keys.length)] as string,
        });
      }
      publishing = false;
    })();
    const spread = async () => {
      while (publishing || (await fanOut(db.pool, fanOutOptions)) > 0) await fanOut(db.pool, fanOutOptions);
    };
    const work = async () => {
      for (let idle = 0; idle < 20; ) {
        const rows = await take({ want: 4 });
        if (rows.length === 0) {
          if (!publishing) idle++;
          await sleep(2);
          continue;
        }
        idle = 0;
        const keyOf = await keysOf(rows);
        for (const row of rows) {
          const key = keyOf.get(row.id) as string;
          expect(inFlight.has(key)).toBe(false);
          inFlight.add(key);
          order.set(key, [...(order.get(key) ?? []), row.id]);
        }
        for (const row of rows) inFlight.delete(keyOf.get(row.id) as string);
        const results = rows.map((row) =>
          resultOf(row, randomInt(4) === 0 ? { ...failed, delayMs: 0 } : randomInt(6) === 0 ? dead : {}),
        );
        await settle(db.pool, { workerId: worker, results });
      }
    };
    await Promise.all([producer, spread(), spread(), work(), work(), work()]);
    const { rows } = await db.pool.query(
      "select count(*)::int n, count(*) filter (where state in ('delivered', 'dead_letter'))::int ended from posthorn.deliveries",
    );
    expect(rows[0]).toEqual({ n: 150, ended: 150 });
    for (const ids of order.values()) {
      expect(ids.map(Number)).toEqual(ids.map(Number).sort((x, y) => x - y));
    }
  });

  async function keysOf(rows: ClaimedRow[]): Promise<Map<string, string>> {
    const { rows: found } = await db.pool.query(
      "select id, endpoint_id || ' ' || ordering_key as key from posthorn.deliveries where id = any($1)",
      [rows.map((row) => row.id)],
    );
    return new Map(found.map((row) => [row.id, row.key]));
  }

  test("a resend and the claim of what is behind it: either it is in front, or it is superseded", async () => {
    const endpoint = await endpointWith("per_key");
    const verdicts = new Set<string>();
    for (let round = 0; round < 60; round++) {
      const [first, second] = await deliver(endpoint, `k${round}`, `k${round}`);
      await send(dead);
      const [verdict, rows] = await Promise.all([resend(first as string), take()]);
      verdicts.add(verdict);
      expect(rows.map((row) => row.id)).toEqual(
        verdict === "superseded" ? [second] : rows.length > 0 ? [first] : [],
      );
      await settleAll(rows);
      while ((await send()).length > 0);
    }
    expect([...verdicts].every((verdict) => verdict === "resent" || verdict === "superseded")).toBe(true);
    expect(await free()).toEqual([]);
  });
});
