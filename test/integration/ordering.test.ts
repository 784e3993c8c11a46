import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { inClientTransaction } from "#lib/db/database.ts";
import { type ClaimedRow, claim, firstLane } from "#lib/queue/claim.ts";
import { discardForDeletedEndpoints } from "#lib/queue/discard.ts";
import { fanOut } from "#lib/queue/fan-out.ts";
import { handBack } from "#lib/queue/hand-back.ts";
import {
  firstKey,
  placeInOrder,
  releaseBehind,
  releaseUnordered,
  sweepBlocked,
} from "#lib/queue/ordering.ts";
import { reap } from "#lib/queue/reap.ts";
import { resendDelivery } from "#lib/queue/resend.ts";
import { type Settlement, settle } from "#lib/queue/settle.ts";
import { suspect } from "#lib/queue/suspect.ts";
import { registerWorker, retireWorker } from "#lib/queue/workers.ts";
import type { Ordering } from "#lib/vocabulary.ts";
import { createEndpoint, publish, type TestEndpoint } from "#test/helpers/factories.ts";
import { createTestDatabase, type TestDatabase } from "#test/helpers/postgres.ts";
import { type ReceivedRequest, type Receiver, startReceiver } from "#test/helpers/receiver.ts";
import { resultOf } from "#test/helpers/settlements.ts";
import { passTime } from "#test/helpers/time.ts";
import { eventually, startWorker, waitForState } from "#test/helpers/workers.ts";

const receiver: Receiver = await startReceiver();
let db: TestDatabase;
let worker: string;
let token = 0;

beforeEach(async () => {
  db = await createTestDatabase();
  worker = await newWorker();
});
afterAll(() => receiver.close());

const newWorker = () => registerWorker(db.pool, { hostname: "test", pid: 1, version: "test" });

const take = async (options: { want?: number; workerId?: string } = {}) =>
  (
    await claim(db.pool, {
      after: firstLane,
      want: options.want ?? 500,
      workerId: options.workerId ?? worker,
      leaseToken: String(++token),
      workersAlive: 1,
    })
  ).rows;

const resend = (id: string, options: { force?: boolean } = {}) =>
  inClientTransaction(db.pool, (client) => resendDelivery(client, id, options));

const endpointWith = (ordering: Ordering, url = "http://127.0.0.1:9/") =>
  createEndpoint(db.pool, { url, ordering, concurrency: 64, baseSeconds: 1 });

/** Publishes one event for each key, in this order, and returns the deliveries' ids. */
async function deliver(endpoint: TestEndpoint, ...keys: (string | undefined)[]): Promise<string[]> {
  const events: string[] = [];
  for (const orderingKey of keys) {
    const key = orderingKey === undefined ? {} : { orderingKey };
    events.push(await publish(db.pool, { affiliate: endpoint.affiliateKey, ...key }));
  }
  await fanOut(db.pool);
  const { rows } = await db.pool.query(
    "select id from posthorn.deliveries where event_id = any($1) and endpoint_id = $2 order by id",
    [events, endpoint.id],
  );
  return rows.map((row) => row.id);
}

/** Neutral, so that no breaker opens. */
const refused = {
  attemptReason: "bad_request",
  reason: "bad_request",
  verdict: "neutral",
  status: 400,
} as const;
const failed = { ...refused, state: "failed", outcome: "transient", delayMs: 60_000 } as const;
const dead = { ...refused, state: "dead_letter", outcome: "permanent" } as const;

const settleAll = (rows: ClaimedRow[], change: Partial<Settlement> = {}) =>
  settle(db.pool, { workerId: worker, results: rows.map((row) => resultOf(row, change)) });

/** Claims what may go, says that it went like this, and returns the ids. */
async function send(change: Partial<Settlement> = {}): Promise<string[]> {
  const rows = await take();
  if (rows.length > 0) await settleAll(rows, change);
  return rows.map((row) => row.id);
}

async function rowOf(id: string) {
  const { rows } = await db.pool.query(
    "select state, blocked, attempt_number from posthorn.deliveries where id = $1",
    [id],
  );
  return rows[0];
}

/** What may go now, without taking it. */
async function free(): Promise<string[]> {
  const { rows } = await db.pool.query(
    "select id from posthorn.deliveries where state in ('pending', 'failed') and not blocked order by id",
  );
  return rows.map((row) => row.id);
}

const setOrdering = (endpoint: TestEndpoint, ordering: Ordering) =>
  db.pool.query("update posthorn.endpoints set ordering = $2 where id = $1", [endpoint.id, ordering]);

const discard = async (id: string) => {
  await db.pool.query("update posthorn.deliveries set state = 'discarded', ended_at = now() where id = $1", [
    id,
  ]);
  await releaseBehind(db.pool, [id]);
};

describe("per key", () => {
  test("one of a key at a time, in order of acceptance; other keys and those without one flow", async () => {
    const endpoint = await endpointWith("per_key");
    const [a1, b1, a2, none, a3, none2] = await deliver(endpoint, "a", "b", "a", undefined, "a", undefined);
    expect(await send()).toEqual([a1, b1, none, none2]);
    expect(await send()).toEqual([a2]);
    expect(await send()).toEqual([a3]);
    expect(await free()).toEqual([]);
  });

  test("what comes later waits behind what is pending, in flight or to be retried, and not behind what ended", async () => {
    const endpoint = await endpointWith("per_key");
    const [first] = await deliver(endpoint, "k");
    const [second] = await deliver(endpoint, "k");
    const rows = await take();
    const [third] = await deliver(endpoint, "k");
    await settleAll(rows, failed);
    const [fourth] = await deliver(endpoint, "k");
    expect(await free()).toEqual([first]);
    await passTime(db.pool, 60);
    expect(await send(dead)).toEqual([first]);
    for (const id of [second, third, fourth]) expect(await send()).toEqual([id]);
    const [fifth] = await deliver(endpoint, "k");
    expect(await free()).toEqual([fifth]);
  });

  test("an endpoint without an order keeps no key", async () => {
    const endpoint = await endpointWith("none");
    const ids = await deliver(endpoint, "k", "k");
    expect(await free()).toEqual(ids);
    expect((await take()).map((row) => row.ordered)).toEqual([false, false]);
  });

  test("one key of two endpoints is two", async () => {
    const first = await endpointWith("per_key");
    const second = await createEndpoint(db.pool, {
      url: "http://127.0.0.1:9/",
      ordering: "per_key",
      affiliate: { id: first.affiliateId, key: first.affiliateKey },
    });
    await deliver(first, "k", "k");
    const rows = await take();
    expect(rows.map((row) => row.endpointId).sort()).toEqual([first.id, second.id].sort());
    await settleAll(rows.filter((row) => row.endpointId === second.id));
    expect((await take()).map((row) => row.endpointId)).toEqual([second.id]);
  });

  test("what is handed back is still at the head, and the third lost worker frees what is behind", async () => {
    const endpoint = await endpointWith("per_key");
    const [first, second] = await deliver(endpoint, "k", "k");
    const rows = await take();
    await handBack(
      db.pool,
      rows.map((row) => ({ deliveryId: row.id, leaseToken: row.leaseToken, endpointId: row.endpointId })),
    );
    expect(await free()).toEqual([first]);
    for (let i = 0; i < 3; i++) {
      const lost = await newWorker();
      const [row] = (await take({ workerId: lost })) as [ClaimedRow];
      expect(row.id).toBe(first);
      if (row.lostBefore) await suspect(db.pool, { ...row, deliveryId: row.id });
      await retireWorker(db.pool, lost);
      await sleep(2);
      expect(await reap(db.pool)).toBe(1);
    }
    expect((await rowOf(first as string)).state).toBe("dead_letter");
    expect(await free()).toEqual([second]);
  });

  test("one that waited for an hour is not an hour late", async () => {
    const endpoint = await endpointWith("per_key");
    await deliver(endpoint, "k", "k");
    await passTime(db.pool, 3_600);
    await send();
    const { rows } = await db.pool.query(
      "select now() - next_attempt_at < interval '5 seconds' as fresh from posthorn.deliveries where state = 'pending'",
    );
    expect(rows).toEqual([{ fresh: true }]);
  });
});

describe("putting back", () => {
  test("one that nothing later has passed is in front again; what is behind it waits", async () => {
    const endpoint = await endpointWith("per_key");
    const [first, second, third] = await deliver(endpoint, "k", "k", "k");
    await send(dead);
    expect(await free()).toEqual([second]);
    expect(await resend(first as string)).toBe("resent");
    expect(await free()).toEqual([first]);
    expect((await placeInOrder(db.pool, second as string))?.blockedBy).toBe(first);
    for (const id of [first, second, third]) expect(await send()).toEqual([id]);
  });

  test.each([
    ["delivered", {}],
    ["to be retried", failed],
    ["a dead letter", dead],
  ] as const)("is refused once a later one is %s, unless forced", async (_state, change) => {
    const endpoint = await endpointWith("per_key");
    const [first, second] = await deliver(endpoint, "k", "k");
    await send(dead);
    expect(await resend(first as string)).toBe("resent");
    await send(dead);
    expect(await send(change)).toEqual([second]);
    expect((await placeInOrder(db.pool, first as string))?.superseded).toBe(true);
    expect(await resend(first as string)).toBe("superseded");
    expect(await free()).toEqual(change === failed ? [second] : []);
    expect(await resend(first as string, { force: true })).toBe("resent");
    expect(await free()).toEqual([first]);
  });

  test("forced while a later one is in flight: that one, if it fails, waits behind it", async () => {
    const endpoint = await endpointWith("per_key");
    const [first, second] = await deliver(endpoint, "k", "k");
    await send(dead);
    const later = await take();
    expect(await resend(first as string)).toBe("superseded");
    expect(await resend(first as string, { force: true })).toBe("resent");
    await settleAll(later, { ...failed, delayMs: 0 });
    expect(await free()).toEqual([first]);
    expect(await send()).toEqual([first]);
    expect(await send()).toEqual([second]);
  });

  test("a later one goes behind an earlier one that has not ended", async () => {
    const endpoint = await endpointWith("per_key");
    const [first, second] = await deliver(endpoint, "k", "k");
    await send();
    await send(dead);
    expect(await resend(first as string, { force: true })).toBe("resent");
    expect(await resend(second as string)).toBe("resent");
    expect(await free()).toEqual([first]);
    expect(await send()).toEqual([first]);
    expect(await send()).toEqual([second]);
  });

  test("a discarded one takes its place again; what was never attempted does not supersede", async () => {
    const endpoint = await endpointWith("per_key");
    const [first, second] = await deliver(endpoint, "k", "k");
    await discard(first as string);
    expect(await free()).toEqual([second]);
    expect(await resend(first as string)).toBe("resent");
    await discard(second as string);
    expect(await send()).toEqual([first]);
    expect(await resend(second as string)).toBe("resent");
    expect(await send()).toEqual([second]);
  });

  test("without an order nothing is superseded", async () => {
    const endpoint = await endpointWith("per_key");
    const [first] = await deliver(endpoint, "k", "k");
    await send(dead);
    await send();
    await setOrdering(endpoint, "none");
    expect(await placeInOrder(db.pool, first as string)).toBeNull();
    expect(await resend(first as string)).toBe("resent");
  });
});

describe("strict", () => {
  test("a dead letter holds its key, also what comes later, until it is delivered", async () => {
    const endpoint = await endpointWith("strict");
    const [first, second, other] = await deliver(endpoint, "k", "k", "other");
    expect(await send(dead)).toEqual([first, other]);
    const [third] = await deliver(endpoint, "k");
    expect(await free()).toEqual([]);
    expect((await placeInOrder(db.pool, second as string))?.blockedBy).toBe(first);
    expect(await sweepBlocked(db.pool, firstKey)).toMatchObject({ freed: 0 });
    expect(await resend(first as string)).toBe("resent");
    expect(await send(dead)).toEqual([first]);
    expect(await free()).toEqual([]);
    await resend(first as string);
    for (const id of [first, second, third]) expect(await send()).toEqual([id]);
  });

  test("or until it is discarded", async () => {
    const endpoint = await endpointWith("strict");
    const [first, second] = await deliver(endpoint, "k", "k");
    await send(dead);
    await discard(first as string);
    expect(await send()).toEqual([second]);
  });

  test("one that the key had moved on from before holds nothing; per key again lets go", async () => {
    const endpoint = await endpointWith("per_key");
    await deliver(endpoint, "k", "k");
    await send(dead);
    await send();
    await setOrdering(endpoint, "strict");
    const [third, fourth] = await deliver(endpoint, "k", "k");
    expect(await send(dead)).toEqual([third]);
    expect(await free()).toEqual([]);
    await setOrdering(endpoint, "per_key");
    expect(await sweepBlocked(db.pool, firstKey)).toMatchObject({ freed: 1 });
    expect(await free()).toEqual([fourth]);
  });
});

describe("the sweep", () => {
  test("frees heads that nothing is in front of, and only those", async () => {
    const endpoint = await endpointWith("per_key");
    const [a, , b, , c] = await deliver(endpoint, "a", "a", "b", "b", "c", "c");
    await take();
    await db.pool.query("update posthorn.deliveries set state = 'delivered' where id = any($1)", [[a, c]]);
    expect(await free()).toEqual([]);
    expect(await sweepBlocked(db.pool, firstKey)).toEqual({ freed: 2, next: firstKey });
    const { rows } = await db.pool.query(
      "select ordering_key from posthorn.deliveries where state = 'pending' and not blocked order by id",
    );
    expect(rows.map((row) => row.ordering_key)).toEqual(["a", "c"]);
    expect((await rowOf(b as string)).state).toBe("in_flight");
    expect(await sweepBlocked(db.pool, firstKey)).toMatchObject({ freed: 0 });
  });

  test("walks on over more keys than it looks at once", async () => {
    const endpoint = await endpointWith("per_key");
    await deliver(endpoint, "k");
    await db.pool.query(
      `insert into posthorn.deliveries (event_id, event_received_at, event_type, affiliate_id, endpoint_id, ordering_key, blocked)
       select event_id, event_received_at, event_type, affiliate_id, endpoint_id, 'key ' || i % 1200, true
       from posthorn.deliveries, generate_series(1, 2400) i`,
    );
    const first = await sweepBlocked(db.pool, firstKey);
    expect(first.freed).toBe(1_000);
    expect(await sweepBlocked(db.pool, first.next)).toEqual({ freed: 200, next: firstKey });
    expect(await sweepBlocked(db.pool, firstKey)).toMatchObject({ freed: 0 });
  });

  test("releases everything of an endpoint that keeps no order any more, or was deleted", async () => {
    const endpoint = await endpointWith("per_key");
    const kept = await endpointWith("per_key");
    const gone = await endpointWith("per_key");
    const ids = await deliver(endpoint, "k", "k", "k");
    const [head] = await deliver(kept, "k", "k");
    await deliver(gone, "k", "k", "k");
    await setOrdering(endpoint, "none");
    await db.pool.query("update posthorn.endpoints set deleted_at = now() where id = $1", [gone.id]);
    expect(await releaseUnordered(db.pool)).toBe(4);
    expect(await releaseUnordered(db.pool)).toBe(0);
    expect(await discardForDeletedEndpoints(db.pool)).toBe(3);
    expect(await free()).toEqual([...ids, head]);
  });
});

describe("at once", () => {
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
    const done = fanOut({ connect } as unknown as pg.Pool);
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
      while (publishing || (await fanOut(db.pool)) > 0) await fanOut(db.pool);
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

describe("through the pipeline", () => {
  let paths = 0;
  const newPath = () => `/ordering-${++paths}`;
  const typesOf = (path: string) =>
    receiver.requests(path).map((request) => JSON.parse(request.body.toString("utf8")).type as string);

  async function deliveryOf(eventId: string) {
    const { rows } = await db.pool.query(
      "select id, state, blocked from posthorn.deliveries where event_id = $1",
      [eventId],
    );
    return rows[0] as { id: string; state: string; blocked: boolean } | undefined;
  }
  const inState = (eventId: string, state: string) =>
    eventually(async () => {
      const delivery = await deliveryOf(eventId);
      return delivery?.state === state && delivery;
    });

  test("case 25, per key: approved is being retried when reversed arrives; reversed is never followed by approved", async () => {
    const path = newPath();
    const approvedAnswers = [500, 500, 400];
    receiver.script(path, (request) =>
      JSON.parse(request.body.toString("utf8")).type === "conversion.approved"
        ? { status: approvedAnswers.shift() ?? 200 }
        : { status: 200 },
    );
    const endpoint = await endpointWith("per_key", receiver.url(path));
    const send = (type: string, orderingKey: string) =>
      publish(db.pool, { affiliate: endpoint.affiliateKey, type, orderingKey });
    await startWorker(db.url);
    const approved = await send("conversion.approved", "conversion 1");
    const { id } = await inState(approved, "failed");
    const reversed = await send("conversion.reversed", "conversion 1");
    const other = await send("ftd", "conversion 2");
    await inState(other, "delivered");
    const behind = await eventually(() => deliveryOf(reversed));
    expect(behind).toMatchObject({ state: "pending", blocked: true });
    expect(await placeInOrder(db.pool, behind.id)).toEqual({ blockedBy: id, superseded: false });

    await passTime(db.pool, 3_600);
    await receiver.waitFor(path, 3);
    await inState(approved, "failed");
    expect((await deliveryOf(reversed))?.state).toBe("pending");
    await passTime(db.pool, 3_600);
    await inState(approved, "dead_letter");
    await inState(reversed, "delivered");
    const sent = [
      "conversion.approved",
      "ftd",
      "conversion.approved",
      "conversion.approved",
      "conversion.reversed",
    ];
    expect(typesOf(path)).toEqual(sent);

    expect(await resend(id)).toBe("superseded");
    await send("ftd", "conversion 3");
    await receiver.waitFor(path, 6);
    expect(typesOf(path)).toEqual([...sent, "ftd"]);
  });

  test("case 25, strict: a dead approved holds reversed back until it is resent or discarded", async () => {
    const path = newPath();
    const approvedAnswers = [400, 200, 400];
    receiver.script(path, (request) =>
      JSON.parse(request.body.toString("utf8")).type === "conversion.approved"
        ? { status: approvedAnswers.shift() ?? 500 }
        : { status: 200 },
    );
    const endpoint = await endpointWith("strict", receiver.url(path));
    const send = (type: string, orderingKey: string) =>
      publish(db.pool, { affiliate: endpoint.affiliateKey, type, orderingKey });
    await startWorker(db.url);
    const approved = await send("conversion.approved", "1");
    const { id } = await inState(approved, "dead_letter");
    const reversed = await send("conversion.reversed", "1");
    const other = await send("ftd", "2");
    await inState(other, "delivered");
    const behind = await eventually(() => deliveryOf(reversed));
    expect(behind).toMatchObject({ state: "pending", blocked: true });
    expect((await placeInOrder(db.pool, behind.id))?.blockedBy).toBe(id);
    expect(await resend(id)).toBe("resent");
    await inState(reversed, "delivered");
    expect(typesOf(path)).toEqual([
      "conversion.approved",
      "ftd",
      "conversion.approved",
      "conversion.reversed",
    ]);

    const again = await send("conversion.approved", "3");
    const held = await send("conversion.reversed", "3");
    const { id: deadId } = await inState(again, "dead_letter");
    await eventually(async () => (await deliveryOf(held))?.blocked);
    await discard(deadId);
    await inState(held, "delivered");
    expect(typesOf(path).slice(4)).toEqual(["conversion.approved", "conversion.reversed"]);
  });

  test("several workers, many keys, failures: each key arrives in order", async () => {
    const path = newPath();
    const onTheWire = new Set<string>();
    const overlaps: string[] = [];
    receiver.script(path, (request: ReceivedRequest) => {
      const { key } = JSON.parse(request.body.toString("utf8")).data as { key: string };
      if (onTheWire.has(key)) overlaps.push(key);
      onTheWire.add(key);
      const delayMs = 2 + randomInt(8);
      setTimeout(() => onTheWire.delete(key), delayMs - 1);
      const dice = randomInt(20);
      return { status: dice === 0 ? 503 : dice === 1 ? 422 : 200, delayMs };
    });
    const endpoint = await createEndpoint(db.pool, {
      url: receiver.url(path),
      ordering: "per_key",
      concurrency: 32,
      maxAttempts: 30,
      baseSeconds: 1,
    });
    const workers = [await startWorker(db.url), await startWorker(db.url), await startWorker(db.url)];
    expect(workers).toHaveLength(3);
    const count = 600;
    for (let n = 0; n < count; n++) {
      const key = `k${Math.floor(Math.sqrt(randomInt(900)))}`;
      await publish(db.pool, {
        affiliate: endpoint.affiliateKey,
        data: JSON.stringify({ key, n }),
        orderingKey: key,
      });
    }
    await eventually(async () => {
      const { rows } = await db.pool.query(
        "select count(*)::int n from posthorn.deliveries where state in ('delivered', 'dead_letter')",
      );
      return rows[0].n === count;
    }, 25_000);
    expect(overlaps).toEqual([]);
    const last = new Map<string, number>();
    for (const request of receiver.requests(path)) {
      const { key, n } = JSON.parse(request.body.toString("utf8")).data as { key: string; n: number };
      expect(n).toBeGreaterThanOrEqual(last.get(key) ?? 0);
      last.set(key, n);
    }
    await waitForState(db.pool, "in_flight", 0);
  });
});
