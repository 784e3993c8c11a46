import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { fanOut } from "#lib/queue/fan-out.ts";
import { reap } from "#lib/queue/reap.ts";
import { retireWorker } from "#lib/queue/workers.ts";
import { createEndpoint, fanOutOptions, publish } from "#test/helpers/factories.ts";
import { createTestQueue, type TestQueue } from "#test/helpers/queue.ts";
import { failed } from "#test/helpers/settlements.ts";
import type { Received } from "../chaos/receiver.ts";
import { type Down, verify } from "../chaos/verify.ts";

type Story = {
  db: TestQueue["db"];
  accepted: Set<string>;
  log: Received[];
  downs: Down[];
};

/** One event that went at once, one that failed before, and one whose worker went down after it was answered. */
async function soundStory(): Promise<Story> {
  const { db, take, settleAll, newWorker } = await createTestQueue();
  const { affiliateKey: affiliate } = await createEndpoint(db.pool, { url: "http://127.0.0.1:9/" });
  for (const id of ["at-once", "failed-once", "lost-once"]) await publish(db.pool, { affiliate, id });
  await fanOut(db.pool, fanOutOptions);
  const doomed = await newWorker();
  await settleAll(await take({ want: 1 }));
  await settleAll(await take({ want: 1 }), { ...failed, delayMs: 3_600_000 });
  await take({ workerId: doomed });
  await retireWorker(db.pool, doomed);
  await sleep(2);
  await reap(db.pool);
  await db.pool.query("update posthorn.deliveries set next_attempt_at = now()");
  await settleAll(await take());
  return {
    db,
    accepted: new Set(["at-once", "failed-once", "lost-once"]),
    log: [
      { eventId: "at-once", attempt: 1, status: 200 },
      { eventId: "failed-once", attempt: 1, status: 500 },
      { eventId: "lost-once", attempt: 1, status: 200 },
      { eventId: "failed-once", attempt: 2, status: 200 },
      { eventId: "lost-once", attempt: 2, status: 200 },
    ],
    downs: [{ workerId: doomed, eventIds: ["lost-once"] }],
  };
}

const without = (log: Received[], eventId: string, attempt: number) =>
  log.filter((request) => request.eventId !== eventId || request.attempt !== attempt);

const query = (text: string) => (story: Story) => story.db.pool.query(text).then(() => story);
const ofAtOnce = "(select id from posthorn.deliveries where event_id = 'at-once')";

describe("case 32: what the comparison of the receiver's log with the database finds", () => {
  test("nothing, where all is well; a repeat by a worker that went down is counted", async () => {
    const { db, ...found } = await soundStory();
    expect(await verify(db.pool, found)).toEqual({
      accepted: 3,
      received: 3,
      repeated: 1,
      lost: 0,
      given_up: 0,
      largest_in_flight_at_kill: 1,
      disagreements: [],
    });
  });

  const faults: [string, (story: Story) => Story | Promise<Story>, string][] = [
    [
      "an event that was never received",
      (story) => ({ ...story, log: without(story.log, "at-once", 1) }),
      "events that were accepted and never received: 1, such as at-once",
    ],
    [
      "an event that nobody had published",
      (story) => ({ ...story, accepted: new Set(["failed-once", "lost-once"]) }),
      "events that were received and never accepted: 1, such as at-once",
    ],
    [
      "a repeat though no worker went down with it",
      (story) => ({ ...story, downs: [] }),
      "events repeated more often than a worker went down with them: 1, such as lost-once",
    ],
    [
      "more repeats than workers that went down with it",
      (story) => ({ ...story, log: [...story.log, { eventId: "lost-once", attempt: 3, status: 200 }] }),
      "events repeated more often than a worker went down with them: 1, such as lost-once",
    ],
    [
      "a request without an attempt, settled or lost",
      query("delete from posthorn.delivery_attempts where outcome = 'worker_lost'"),
      "requests without an attempt: 1, such as lost-once#1",
    ],
    [
      "a settled attempt whose response the receiver never gave",
      query(`update posthorn.delivery_attempts set status = 201 where delivery_id = ${ofAtOnce}`),
      "attempts with a response that the receiver did not give: 1, such as at-once#1",
    ],
    [
      "a response to a request that the receiver never got",
      (story) => ({ ...story, log: without(story.log, "failed-once", 1) }),
      "attempts with a response that the receiver did not give: 1, such as failed-once#1",
    ],
    [
      "delivered without a 200",
      (story) => ({
        ...story,
        log: story.log.map((request) =>
          request.eventId === "at-once" ? { ...request, status: 500 } : request,
        ),
      }),
      "deliveries that are delivered and were never answered 200: 1, such as at-once",
    ],
    [
      "one attempt that was sent twice",
      (story) => ({ ...story, log: [...story.log, { eventId: "at-once", attempt: 1, status: 200 }] }),
      "attempts with more than one request: 1, such as at-once#1",
    ],
    [
      "one attempt that was settled twice",
      query(
        `insert into posthorn.delivery_attempts (delivery_id, number, started_at, endpoint_id, outcome, status, worker_id)
         select delivery_id, number, started_at + interval '1 ms', endpoint_id, outcome, status, worker_id
         from posthorn.delivery_attempts where delivery_id = ${ofAtOnce}`,
      ),
      "attempts settled twice: 1, such as at-once#1",
    ],
    [
      "a lease that is left",
      query("update posthorn.deliveries set lease_token = 1 where event_id = 'at-once'"),
      "leases that are left: 1, such as at-once",
    ],
    [
      "a delivery that was given up too early",
      query(
        "update posthorn.deliveries set state = 'dead_letter', reason = 'worker_lost' where event_id = 'at-once'",
      ),
      "deliveries that were given up though fewer than three workers went down with them: 1, such as at-once",
    ],
  ];
  test.each(faults)("%s", async (_what, spoil, said) => {
    const { db, ...found } = await spoil(await soundStory());
    expect((await verify(db.pool, found)).disagreements).toContain(said);
  });
});
