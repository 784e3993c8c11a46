import { randomInt } from "node:crypto";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { placeInOrder } from "#lib/queue/ordering.ts";
import { createEndpoint, publish } from "#test/helpers/factories.ts";
import { createOrderedQueue, type OrderedQueue } from "#test/helpers/ordering.ts";
import { type ReceivedRequest, type Receiver, startReceiver } from "#test/helpers/receiver.ts";
import { passTime } from "#test/helpers/time.ts";
import { eventually, startWorker, waitForState } from "#test/helpers/workers.ts";

const receiver: Receiver = await startReceiver();
let { db, endpointWith, resend, discard } = {} as OrderedQueue;

beforeEach(async () => {
  ({ db, endpointWith, resend, discard } = await createOrderedQueue());
});
afterAll(() => receiver.close());

describe("an order, through the pipeline", () => {
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
