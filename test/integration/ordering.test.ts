import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "vitest";
import type { ClaimedRow } from "#lib/queue/claim.ts";
import { discardForDeletedEndpoints } from "#lib/queue/discard.ts";
import { handBack } from "#lib/queue/hand-back.ts";
import { firstKey, placeInOrder, releaseUnordered, sweepBlocked } from "#lib/queue/ordering.ts";
import { reap } from "#lib/queue/reap.ts";
import { suspect } from "#lib/queue/suspect.ts";
import { retireWorker } from "#lib/queue/workers.ts";
import type { Ordering } from "#lib/vocabulary.ts";
import { createEndpoint, type TestEndpoint } from "#test/helpers/factories.ts";
import { createOrderedQueue, dead, failed, type OrderedQueue } from "#test/helpers/ordering.ts";
import { passTime } from "#test/helpers/time.ts";

let { db, newWorker, take, settleAll, endpointWith, deliver, send, free, resend, discard } =
  {} as OrderedQueue;

beforeEach(async () => {
  ({ db, newWorker, take, settleAll, endpointWith, deliver, send, free, resend, discard } =
    await createOrderedQueue());
});

async function rowOf(id: string) {
  const { rows } = await db.pool.query(
    "select state, blocked, attempt_number from posthorn.deliveries where id = $1",
    [id],
  );
  return rows[0];
}

const setOrdering = (endpoint: TestEndpoint, ordering: Ordering) =>
  db.pool.query("update posthorn.endpoints set ordering = $2 where id = $1", [endpoint.id, ordering]);

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
