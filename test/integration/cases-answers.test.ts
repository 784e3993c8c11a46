import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { retryAfterCapMs } from "#lib/delivery/retry-after.ts";
import { reasonRemedies } from "#lib/vocabulary.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { createEndpoint, publish, publishMany, type TestEndpoint } from "#test/helpers/factories.ts";
import {
  type ReceivedRequest,
  type Receiver,
  type ReceiverStep,
  startReceiver,
} from "#test/helpers/receiver.ts";
import { passTime } from "#test/helpers/time.ts";
import { eventually, startWorker } from "#test/helpers/workers.ts";
import * as delivery from "../../app/api/v1/deliveries/[id]/route.ts";
import * as endpoint from "../../app/api/v1/endpoints/[id]/route.ts";

/** What an answer leads to: cases 7 to 9, 12, 13, 19 and 20, through the pipeline and as the API shows it. */
const receiver: Receiver = await startReceiver();
const api = setUpApi();
const bodyCapBytes = 65_536;
let path = "";
let paths = 0;

beforeEach(async () => {
  path = `/answers-${++paths}`;
  await startWorker(api.database.url);
});
afterAll(() => receiver.close());

type Options = Partial<Parameters<typeof createEndpoint>[1]>;

/** An endpoint at this test's path, which answers like this. */
function answering(steps: ReceiverStep[], options: Options = {}): Promise<TestEndpoint> {
  receiver.script(path, ...steps);
  return createEndpoint(api.database.pool, { url: receiver.url(path), ...options });
}

const send = (to: TestEndpoint) => publish(api.database.pool, { affiliate: to.affiliateKey });

async function idsOf(of: TestEndpoint): Promise<string[]> {
  const { rows } = await api.database.pool.query(
    "select id from posthorn.deliveries where endpoint_id = $1 order by id",
    [of.id],
  );
  return rows.map((row) => row.id);
}

/** The endpoint's deliveries as the API shows them, once every one is in this state. */
async function shownOnce(of: TestEndpoint, state: string, count = 1) {
  return eventually(async () => {
    const ids = await idsOf(of);
    const all = await Promise.all(ids.map((id) => api.call(delivery.GET, { params: { id } })));
    expect(all.map(({ status }) => status)).toEqual(ids.map(() => 200));
    return all.length === count && all.every(({ body }) => body.state === state)
      ? all.map(({ body }) => body)
      : null;
  });
}

const shownEndpoint = async ({ id }: TestEndpoint) => (await api.call(endpoint.GET, { params: { id } })).body;

const headerOf = (request: ReceivedRequest, name: string) =>
  request.headers[request.headers.indexOf(name) + 1] as string;

/** Seconds from its latest attempt until each delivery may go again, whatever its endpoint says. */
async function waits(of: readonly TestEndpoint[]): Promise<number[]> {
  const { rows } = await api.database.pool.query(
    `select extract(epoch from next_attempt_at - last_attempt_at)::float8 as wait
     from posthorn.deliveries where endpoint_id = any($1) order by id`,
    [of.map(({ id }) => id)],
  );
  return rows.map((row) => row.wait);
}

describe("case 7: a redirect", () => {
  test.each([301, 302, 303, 307, 308])(
    "%d to a page that would answer 200: one request, a dead letter that names the target, its query masked",
    async (status) => {
      const target = `/would-answer-${status}`;
      const to = await answering([{ status, redirectTo: receiver.url(`${target}?token=canary&a=1#part`) }]);
      await send(to);
      const [shown] = await shownOnce(to, "dead_letter");
      expect(shown).toMatchObject({ reason: "redirect", attempts_charged: 1, last_status: status });
      expect(shown.attempts).toMatchObject([
        { outcome: "permanent", reason: "redirect", status, redirect_to: receiver.url(`${target}?…`) },
      ]);
      expect(receiver.requests(path)).toHaveLength(1);
      expect(receiver.requests(target)).toEqual([]);
    },
  );

  test("without a target, or with one that is none, names nothing", async () => {
    for (const headers of [{}, { location: "http://" }] as Record<string, string>[]) {
      path = `/answers-${++paths}`;
      const to = await answering([{ status: 302, headers }]);
      await send(to);
      const [shown] = await shownOnce(to, "dead_letter");
      expect(shown.attempts).toMatchObject([{ reason: "redirect", redirect_to: null }]);
    }
  });
});

describe("case 8: an answer without an end", () => {
  test("a drip after a 200 is a timeout at the endpoint's timeout, and retried", async () => {
    const to = await answering([{ dripBytePerMs: 20 }, { status: 200 }], { timeoutMs: 1_000 });
    await send(to);
    const [shown] = await shownOnce(to, "failed");
    expect(shown.attempts).toMatchObject([{ outcome: "transient", reason: "timeout", status: 200 }]);
    expect(shown.attempts[0].duration_ms).toBeGreaterThanOrEqual(990);
    expect(shown.attempts[0].duration_ms).toBeLessThan(5_000);
    await passTime(api.database.pool, 3_600);
    const [after] = await shownOnce(to, "delivered");
    expect(after.attempts).toHaveLength(2);
  });

  /** The most that buffers took while `work` was done. */
  async function buffersDuring(work: () => Promise<void>): Promise<number> {
    const before = process.memoryUsage().arrayBuffers;
    let most = before;
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage().arrayBuffers);
    }, 5);
    await work().finally(() => clearInterval(timer));
    return most - before;
  }

  test("a gigabyte, twenty times at once: delivered, memory stays flat, the body is cut and marked so", async () => {
    const to = await answering([{ hugeBodyBytes: 1_000_000_000 }], { concurrency: 20 });
    let shown: Awaited<ReturnType<typeof shownOnce>> = [];
    const grown = await buffersDuring(async () => {
      await publishMany(api.database.pool, { affiliate: to.affiliateKey, count: 20 });
      shown = await shownOnce(to, "delivered", 20);
    });
    expect(grown).toBeLessThan(100_000_000);
    for (const { attempts } of shown) {
      expect(attempts).toMatchObject([{ status: 200, response_body_truncated: true }]);
      expect(attempts[0].response_body).toBe("x".repeat(bodyCapBytes));
      expect(attempts[0].duration_ms).toBeLessThan(5_000);
    }
    expect(receiver.requests(path)).toHaveLength(20);
  });

  test("50 MB behind gzip: not unpacked, kept as it came up to the cap", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const large = gzipSync(Buffer.alloc(100_000_000));
    expect(large.length).toBeGreaterThan(bodyCapBytes);
    const headers = { "content-encoding": "gzip" };
    const to = await answering(
      [
        { headers, body: bomb },
        { headers, body: large },
      ],
      { concurrency: 1 },
    );
    const grown = await buffersDuring(async () => {
      await publishMany(api.database.pool, { affiliate: to.affiliateKey, count: 2 });
      await shownOnce(to, "delivered", 2);
    });
    expect(grown).toBeLessThan(40_000_000);
    const { rows } = await api.database.pool.query(
      `select body, body_truncated from posthorn.attempt_responses where delivery_id = any($1) order by delivery_id`,
      [await idsOf(to)],
    );
    expect(rows).toEqual([
      { body: bomb, body_truncated: false },
      { body: large.subarray(0, bodyCapBytes), body_truncated: true },
    ]);
  });
});

describe("case 9: answers that are odd and yet answers", () => {
  const binary = Buffer.from([0, 0xff, 0xc3, 0x28, 0]);
  const zipped = gzipSync("thanks");
  const rawHead =
    "HTTP/1.1 200 OK\r\nX-Raw: caf\xe9 \xff\x80\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  const odd: [string, ReceiverStep, Record<string, unknown>, Buffer][] = [
    ["204", { status: 204 }, { status: 204 }, Buffer.alloc(0)],
    [
      "200 with a gzip body",
      { headers: { "content-encoding": "gzip" }, body: zipped },
      { response_body: zipped.toString("utf8") },
      zipped,
    ],
    ["a body with NUL and invalid UTF-8", { body: binary }, { response_body: "\0\ufffd\ufffd(\0" }, binary],
    [
      "response headers with raw bytes",
      { raw: Buffer.from(rawHead, "latin1") },
      { response_headers: expect.arrayContaining([["X-Raw", "caf\xe9 \xff\x80"]]) },
      Buffer.alloc(0),
    ],
  ];
  test.each(odd)("%s: recorded, shown, delivered once", async (_what, step, attempt, stored) => {
    const to = await answering([step]);
    await send(to);
    const [shown] = await shownOnce(to, "delivered");
    expect(shown.attempts).toMatchObject([
      { outcome: "delivered", response_body_truncated: false, ...attempt },
    ]);
    const { rows } = await api.database.pool.query(
      "select body from posthorn.attempt_responses where delivery_id = $1",
      [shown.id],
    );
    expect(rows).toEqual([{ body: stored }]);
    await passTime(api.database.pool, 7_200);
    // The worker that took it takes the next one too, so it did not fall over it.
    await send(to);
    await shownOnce(to, "delivered", 2);
    expect(receiver.requests(path)).toHaveLength(2);
  });
});

describe("case 12: Retry-After", () => {
  const inTwoMinutes = () => new Date(Date.now() + 120_000).toUTCString();
  test.each([
    ["120", () => "120"],
    ["an HTTP date", inTwoMinutes],
  ])("%s: neither this delivery nor the endpoint's others go before it", async (_what, value) => {
    const headers = { "retry-after": value() };
    const to = await answering([{ status: 429, headers }, { status: 200 }], { baseSeconds: 1 });
    await send(to);
    const [shown] = await shownOnce(to, "failed");
    // A date has whole seconds.
    expect((await waits([to]))[0]).toBeGreaterThan(118);
    expect((await waits([to]))[0]).toBeLessThan(150);
    expect(shown.attempts[0]).toMatchObject({ reason: "rate_limited", retry_after: { capped: false } });
    expect(shown.attempts[0].retry_after.delay_seconds).toBeGreaterThan(118);
    await send(to);
    await passTime(api.database.pool, 90);
    await sleep(500);
    expect(receiver.requests(path)).toHaveLength(1);
    await passTime(api.database.pool, 60);
    await shownOnce(to, "delivered", 2);
    expect(receiver.requests(path)).toHaveLength(3);
  });

  test("what was claimed before the 429 came goes back unsent, but for what followed it onto the wire", async () => {
    const tooMany = { status: 429, headers: { "retry-after": "3600" } };
    const to = await answering([tooMany, tooMany, tooMany, { ...tooMany, delayMs: 500 }], { concurrency: 3 });
    await publishMany(api.database.pool, { affiliate: to.affiliateKey, count: 30 });
    const rested = () =>
      eventually(async () => {
        const { rows } = await api.database.pool.query(
          `select in_flight from posthorn.endpoint_health where endpoint_id = $1 and hold_until > now()`,
          [to.id],
        );
        return rows[0]?.in_flight === 0;
      });
    await rested();
    expect(receiver.requests(path).length).toBeGreaterThanOrEqual(3);
    expect(receiver.requests(path).length).toBeLessThanOrEqual(6);
    expect((await shownEndpoint(to)).breaker.state).toBe("closed");
  });

  test("abc is ignored: the delivery waits as after any failure, and the endpoint as after any 429", async () => {
    const to = await answering([{ status: 429, headers: { "retry-after": "abc" } }], { baseSeconds: 1 });
    await send(to);
    const [shown] = await shownOnce(to, "failed");
    expect(shown.attempts[0]).toMatchObject({ retry_after: null });
    const { rows } = await api.database.pool.query(
      `select extract(epoch from h.hold_until - d.last_attempt_at)::float8 as held,
         extract(epoch from d.next_attempt_at - d.last_attempt_at)::float8 as wait
       from posthorn.deliveries d join posthorn.endpoint_health h using (endpoint_id) where endpoint_id = $1`,
      [to.id],
    );
    expect(rows[0].held).toBeGreaterThan(4);
    expect(rows[0].held).toBeLessThan(15);
    expect(rows[0].wait).toBeLessThan(10);
  });

  test("ten years are capped at a day, and the cap is shown", async () => {
    const tenYears = String(10 * 365 * 86_400);
    const to = await answering([{ status: 429, headers: { "retry-after": tenYears } }], { baseSeconds: 1 });
    await send(to);
    const [shown] = await shownOnce(to, "failed");
    const capSeconds = retryAfterCapMs / 1_000;
    expect(shown.attempts[0].retry_after).toEqual({ delay_seconds: capSeconds, capped: true });
    const [wait] = await waits([to]);
    expect(wait).toBeGreaterThan(capSeconds - 1);
    expect(wait).toBeLessThan(capSeconds + 60);
  });
});

test("case 13: 410: a dead letter, the endpoint is disabled, its owner told, and what was waiting is held", async () => {
  const to = await answering([{ status: 410, delayMs: 300 }], { concurrency: 2 });
  await publishMany(api.database.pool, { affiliate: to.affiliateKey, count: 8 });
  await eventually(async () => (await shownEndpoint(to)).status === "disabled");
  expect(await shownEndpoint(to)).toMatchObject({ status_changed_by: "Posthorn" });
  await send(to);
  await eventually(async () => (await idsOf(to)).length === 9);
  // Two were on the wire when the first answer came.
  const sent = await eventually(async () => {
    const { rows } = await api.database.pool.query(
      "select state, reason, attempt_number from posthorn.deliveries where endpoint_id = $1 order by id",
      [to.id],
    );
    return rows.every((row) => row.state !== "in_flight") && rows;
  });
  const dead = sent.filter((row) => row.state === "dead_letter");
  expect(dead.length).toBe(receiver.requests(path).length);
  expect(dead.length).toBeLessThanOrEqual(4);
  expect(dead.every((row) => row.reason === "gone" && row.attempt_number === 1)).toBe(true);
  const waiting = sent.filter((row) => row.state === "pending" && row.attempt_number === 0);
  expect(waiting).toHaveLength(9 - dead.length);
  const last = (await idsOf(to)).at(-1) as string;
  expect((await api.call(delivery.GET, { params: { id: last } })).body).toMatchObject({
    held: true,
    next_attempt_at: null,
  });
  expect((await shownEndpoint(to)).backlog).toMatchObject({ waiting: waiting.length });
  const { rows: told } = await api.database.pool.query(
    "select actor_kind, action, after from posthorn.audit_log where object_id = $1",
    [to.id],
  );
  expect(told).toEqual([
    { actor_kind: "system", action: "endpoint.disable", after: { status: "disabled", reason: "gone" } },
  ]);
  await passTime(api.database.pool, 86_400);
  await sleep(300);
  expect(receiver.requests(path)).toHaveLength(dead.length);
});

test("case 19: 500, 500, 200: three attempts at growing, jittered distances, delivered, all three visible", async () => {
  // One event to each of thirty, so that no breaker opens and chance shows.
  const count = 30;
  const baseSeconds = 1_000;
  const answers = [...Array<number>(2 * count).fill(500), 200].map((status) => ({
    status,
    body: `${status}`,
  }));
  const all = [await answering(answers, { baseSeconds })];
  while (all.length < count)
    all.push(await createEndpoint(api.database.pool, { url: receiver.url(path), baseSeconds }));
  const events = await Promise.all(all.map(send));
  const afterFailure = async (attempt: number) => {
    await eventually(async () => {
      const { rows } = await api.database.pool.query(
        `select count(*)::int as n from posthorn.deliveries
         where endpoint_id = any($1) and state = 'failed' and attempt_number = $2`,
        [all.map(({ id }) => id), attempt],
      );
      return rows[0].n === count;
    });
    return waits(all);
  };
  const [first, second] = [
    await afterFailure(1),
    await (async () => {
      await passTime(api.database.pool, baseSeconds);
      return afterFailure(2);
    })(),
  ];
  // Anywhere up to the base, then anywhere up to twice that, and some of the time for the answer.
  const slack = 20;
  expect(Math.max(...first)).toBeLessThan(baseSeconds + slack);
  expect(Math.max(...second)).toBeGreaterThan(baseSeconds + slack);
  expect(Math.max(...second)).toBeLessThan(2 * baseSeconds + slack);
  for (const waited of [first, second])
    expect(new Set(waited.map(Math.round)).size).toBeGreaterThan(count / 2);

  await passTime(api.database.pool, 2 * baseSeconds);
  for (const [i, to] of all.entries()) {
    const [shown] = await shownOnce(to, "delivered");
    expect(shown).toMatchObject({ event_id: events[i], attempt_number: 3, reason: null });
    expect(shown.attempts).toMatchObject([
      { number: 1, outcome: "transient", reason: "server_error", status: 500, response_body: "500" },
      { number: 2, outcome: "transient", reason: "server_error", status: 500, response_body: "500" },
      { number: 3, outcome: "delivered", reason: null, status: 200, response_body: "200" },
    ]);
  }
  const numbersOf = Map.groupBy(receiver.requests(path), (request) => headerOf(request, "webhook-id"));
  expect(new Set(numbersOf.keys())).toEqual(new Set(events));
  for (const requests of numbersOf.values())
    expect(requests.map((request) => headerOf(request, "posthorn-attempt"))).toEqual(["1", "2", "3"]);
});

describe("case 20: what trying again would not help", () => {
  test("401: one attempt, a dead letter, and the remedy is that the credentials have changed", async () => {
    const to = await answering([{ status: 401 }]);
    await send(to);
    const [shown] = await shownOnce(to, "dead_letter");
    expect(shown).toMatchObject({ reason: "unauthorized", attempts_charged: 1 });
    expect(shown.attempts).toMatchObject([{ status: 401, outcome: "permanent" }]);
    expect(reasonRemedies.unauthorized).toContain("credentials have changed");
    expect((await shownEndpoint(to)).health.consecutive_failures).toBe(1);
    await passTime(api.database.pool, 86_400);
    await sleep(300);
    expect(receiver.requests(path)).toHaveLength(1);
  });

  test("400: one attempt, and the breaker's counter moves neither up nor back", async () => {
    const to = await answering([{ status: 401 }, { status: 401 }, { status: 400 }], { concurrency: 1 });
    await publishMany(api.database.pool, { affiliate: to.affiliateKey, count: 5 });
    const shown = await shownOnce(to, "dead_letter", 5);
    expect(shown.map(({ reason, attempts }) => [reason, attempts.length])).toEqual([
      ["unauthorized", 1],
      ["unauthorized", 1],
      ["bad_request", 1],
      ["bad_request", 1],
      ["bad_request", 1],
    ]);
    expect((await shownEndpoint(to)).health.consecutive_failures).toBe(2);
    expect((await shownEndpoint(to)).breaker.state).toBe("closed");
  });
});
