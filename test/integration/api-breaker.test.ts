import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { claim, firstLane } from "#lib/queue/claim.ts";
import { fanOut } from "#lib/queue/fan-out.ts";
import { settle } from "#lib/queue/settle.ts";
import { registerWorker } from "#lib/queue/workers.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { fanOutOptions, publish, publishMany } from "#test/helpers/factories.ts";
import { type Receiver, startReceiver } from "#test/helpers/receiver.ts";
import { gone, refused, resultOf } from "#test/helpers/settlements.ts";
import { eventually, startWorker, waitForState } from "#test/helpers/workers.ts";
import { POST as consoleHold } from "../../app/api/console/endpoints/[id]/breaker/hold/route.ts";
import { GET as consoleHistory } from "../../app/api/console/endpoints/[id]/breaker-history/route.ts";
import * as affiliates from "../../app/api/v1/affiliates/route.ts";
import { POST as close } from "../../app/api/v1/endpoints/[id]/breaker/close/route.ts";
import { POST as hold } from "../../app/api/v1/endpoints/[id]/breaker/hold/route.ts";
import { POST as reset } from "../../app/api/v1/endpoints/[id]/breaker/reset/route.ts";
import { GET as history } from "../../app/api/v1/endpoints/[id]/breaker-history/route.ts";
import { POST as pause } from "../../app/api/v1/endpoints/[id]/pause/route.ts";
import { POST as resume } from "../../app/api/v1/endpoints/[id]/resume/route.ts";
import { POST as rotate } from "../../app/api/v1/endpoints/[id]/rotate-secret/route.ts";
import * as endpoint from "../../app/api/v1/endpoints/[id]/route.ts";
import * as endpoints from "../../app/api/v1/endpoints/route.ts";

const api = setUpApi();
const reason = { reason: "They are moving house" };
const nowhere = "01890a5d-ac96-774b-bcce-b302099a8057";
let made = 0;
let affiliate = "";
let id = "";

const post = (handler: typeof hold, body?: unknown) =>
  api.call(handler, { method: "POST", params: { id }, ...(body === undefined ? {} : { body }) });
const edit = (body: unknown) => api.call(endpoint.PATCH, { method: "PATCH", params: { id }, body });
const breaker = async () => (await api.call(endpoint.GET, { params: { id } })).body.breaker;

/** An endpoint with an affiliate of its own, so that nothing else gets its events. */
async function make(url = "https://example.com/hook"): Promise<string> {
  made += 1;
  affiliate = `owner-${made}`;
  await api.call(affiliates.POST, { body: { key: affiliate, name: affiliate } });
  return (await api.call(endpoints.POST, { body: { affiliate, name: "Orders", url } })).body.id;
}

async function moves() {
  const { body } = await api.call(history, { params: { id } });
  return body.data.map((move: { from: string; to: string; cause: string }) => {
    return `${move.from} -> ${move.to}: ${move.cause}`;
  });
}

/** As ten failures leave it. */
async function open() {
  await api.database.pool.query(
    `update posthorn.endpoint_health set breaker = 'open', breaker_cooldown_seconds = 1200, consecutive_failures = 10,
       ready_at = now() + interval '20 minutes' where endpoint_id = $1`,
    [id],
  );
}

async function health() {
  const { rows } = await api.database.pool.query(
    "select *, ready_at <= now() as is_ready from posthorn.endpoint_health where endpoint_id = $1",
    [id],
  );
  return rows[0];
}

async function lastAudit() {
  const { rows } = await api.database.pool.query(
    "select action, before, after from posthorn.audit_log where object_id = $1 order by id desc limit 1",
    [id],
  );
  return rows[0];
}

beforeEach(async () => {
  id = await make();
});

test("a new endpoint's breaker is closed and has no history", async () => {
  expect(await breaker()).toEqual({
    state: "closed",
    changed_at: null,
    cooldown_seconds: 300,
    next_probe_at: null,
    held_by: null,
    ramp: null,
  });
  expect(await moves()).toEqual([]);
});

describe("holding", () => {
  test("opens it until somebody acts, and tells who and why", async () => {
    const held = await post(hold, reason);
    expect(held).toMatchObject({
      status: 200,
      body: { breaker: { state: "open", held_by: "First key", next_probe_at: null } },
    });
    expect(held.body.breaker.changed_at).toEqual(expect.any(String));
    expect(await health()).toMatchObject({ ready_at: Number.POSITIVE_INFINITY });
    expect(await lastAudit()).toEqual({
      action: "endpoint.hold_breaker",
      before: { breaker: "closed" },
      after: { breaker: "held open", ...reason },
    });
    expect(await post(hold, reason)).toMatchObject({
      status: 409,
      body: { code: "wrong_breaker_state", detail: "The breaker is held open" },
    });
    expect(await moves()).toEqual(["closed -> open: held"]);
  });

  test("of one that is open already ends its cooldown for good", async () => {
    await open();
    expect((await post(hold, reason)).body.breaker).toMatchObject({ state: "open", next_probe_at: null });
    expect(await moves()).toEqual(["open -> open: held"]);
  });

  test.each([[{}], [{ reason: " " }], [{ reason: "x".repeat(501) }]])("%j is refused", async (body) => {
    expect(await post(hold, body)).toMatchObject({ status: 422, body: { errors: [{ field: "reason" }] } });
  });

  test("outlasts a pause, a new URL and a new secret", async () => {
    await post(hold, reason);
    await post(pause);
    expect((await post(resume)).body.breaker).toMatchObject({ state: "open", held_by: "First key" });
    await edit({ url: "https://example.com/new" });
    await post(rotate, {});
    expect(await breaker()).toMatchObject({ state: "open", held_by: "First key", next_probe_at: null });
    expect(await health()).toMatchObject({ ready_at: Number.POSITIVE_INFINITY });
    expect(await moves()).toEqual(["closed -> open: held"]);
  });
});

describe("resetting", () => {
  test.each(["a hold", "a cooldown"])("ends %s: the next delivery is the probe", async (what) => {
    await (what === "a hold" ? post(hold, reason) : open());
    const answer = await post(reset);
    expect(answer).toMatchObject({
      status: 200,
      body: { breaker: { state: "open", held_by: null, cooldown_seconds: 300 } },
    });
    expect(Date.parse(answer.body.breaker.next_probe_at)).toBeLessThanOrEqual(Date.now());
    expect(await health()).toMatchObject({ is_ready: true });
    expect((await moves())[0]).toBe("open -> open: reset");
    expect(await lastAudit()).toMatchObject({
      action: "endpoint.reset_breaker",
      before: { breaker: what === "a hold" ? "held open" : "open" },
      after: { breaker: "open" },
    });
  });

  test("opens no gate of a paused endpoint", async () => {
    await post(hold, reason);
    await post(pause);
    expect((await post(reset)).body.breaker).toMatchObject({ held_by: null, next_probe_at: null });
    expect(await health()).toMatchObject({ ready_at: Number.POSITIVE_INFINITY });
    await post(resume);
    expect(await health()).toMatchObject({ is_ready: true });
  });

  test("is refused where it would do nothing", async () => {
    expect(await post(reset)).toMatchObject({ status: 409, body: { detail: "The breaker is closed" } });
    await open();
    await api.database.pool.query(
      "update posthorn.endpoint_health set breaker = 'half_open', ready_at = 'infinity' where endpoint_id = $1",
      [id],
    );
    expect(await post(reset)).toMatchObject({ status: 409, body: { detail: "The breaker is half open" } });
  });
});

describe("closing", () => {
  test("lets it go without a probe, one at a time at first", async () => {
    await open();
    expect((await post(close)).body.breaker).toMatchObject({
      state: "closed",
      cooldown_seconds: 300,
      next_probe_at: null,
      ramp: 1,
    });
    expect(await health()).toMatchObject({ is_ready: true, consecutive_failures: 0 });
    expect(await moves()).toEqual(["open -> closed: closed_by_hand"]);
    expect(await post(close)).toMatchObject({ status: 409, body: { code: "wrong_breaker_state" } });
  });
});

describe("case 21: a new URL, a new secret and resuming make the next delivery the probe", () => {
  test.each([
    ["a new URL", () => edit({ url: "https://example.com/new" }), "endpoint_changed"],
    ["a new secret", () => post(rotate, {}), "endpoint_changed"],
    ["resuming", () => post(pause).then(() => post(resume)), "resumed"],
  ])("%s", async (_what, change, cause) => {
    await open();
    await change();
    expect(await health()).toMatchObject({
      breaker: "open",
      is_ready: true,
      breaker_cooldown_seconds: 1_200,
    });
    expect(await moves()).toEqual([`open -> open: ${cause}`]);
  });

  test.each([
    ["a new URL ends the hold after a 429", () => edit({ url: "https://example.com/new" }), true],
    ["a new secret ends it too", () => post(rotate, {}), true],
    ["resuming does not", () => post(pause).then(() => post(resume)), false],
  ])("%s", async (_what, change, ends) => {
    await api.database.pool.query(
      `update posthorn.endpoint_health set hold_until = now() + interval '1 hour', rate_limited_in_a_row = 3,
         ready_at = now() + interval '1 hour' where endpoint_id = $1`,
      [id],
    );
    await change();
    const after = await health();
    expect(after).toMatchObject({ is_ready: ends, rate_limited_in_a_row: ends ? 0 : 3 });
    expect(after.hold_until === null).toBe(ends);
  });

  test("any other edit leaves it alone", async () => {
    await open();
    const before = await health();
    await edit({ name: "Others", timeout_ms: 2_000, concurrency: 3 });
    await edit({ url: "https://example.com/hook" });
    expect(await health()).toEqual(before);
  });

  test("a closed one forgets its failures, and what is still under way to the old URL", async () => {
    const { pool } = api.database;
    await pool.query("update posthorn.endpoint_health set consecutive_failures = 9 where endpoint_id = $1", [
      id,
    ]);
    const before = await health();
    await edit({ url: "https://example.com/new" });
    expect(await health()).toMatchObject({
      breaker: "closed",
      consecutive_failures: 0,
      breaker_epoch: before.breaker_epoch + 1,
    });
  });
});

describe("with a worker", () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
    return () => receiver.close();
  });

  test("nothing goes while it is held; after a reset one probe closes it", async () => {
    id = await make(receiver.url("/held"));
    await post(hold, reason);
    await startWorker(api.database.url);
    await publish(api.database.pool, { affiliate });
    await waitForState(api.database.pool, "pending", 1);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(receiver.requests("/held")).toEqual([]);
    await post(reset);
    await receiver.waitFor("/held", 1);
    await eventually(async () => (await breaker()).state === "closed");
    expect(await moves()).toEqual([
      "half_open -> closed: probe_succeeded",
      "open -> half_open: probe_started",
      "open -> open: reset",
      "closed -> open: held",
    ]);
    const { rows } = await api.database.pool.query(
      "select attempt_number, attempts_charged from posthorn.deliveries where endpoint_id = $1",
      [id],
    );
    expect(rows).toEqual([{ attempt_number: 1, attempts_charged: 1 }]);
  });
});

const unauthorized = {
  ...refused,
  attemptReason: "unauthorized",
  reason: "unauthorized",
  verdict: "failure",
  status: 401,
} as const;

test.each([
  ["open it", unauthorized],
  ["disable it", gone],
])("changes of an endpoint and settlements that %s do not lock each other out", async (_what, answer) => {
  const { pool } = api.database;
  const { id: workerId } = await registerWorker(pool, { hostname: "test", pid: 1, version: "test" });
  for (let round = 1; round <= 15; round += 1) {
    id = await make();
    await publishMany(pool, { affiliate, count: 10 });
    while ((await fanOut(pool, fanOutOptions)) > 0);
    const { rows } = await claim(pool, {
      after: firstLane,
      want: 500,
      workerId,
      leaseToken: String(round),
      workersAlive: 1,
    });
    const results = rows.map((row) => resultOf(row, answer));
    const [settled, edited, paused] = await Promise.all([
      settle(pool, { workerId, results }),
      edit({ url: "https://example.com/new" }),
      post(pause),
    ]);
    expect({ moved: settled.moved, edited: edited.status }).toEqual({ moved: 10, edited: 200 });
    // What was disabled before is not paused.
    expect(answer === gone ? [200, 409] : [200]).toContain(paused.status);
  }
});

test("the history is paged, the newest first", async () => {
  for (let round = 0; round < 3; round += 1) {
    await post(hold, reason);
    await post(close);
  }
  const page = async (query: Record<string, string>) =>
    (await api.call(history, { params: { id }, query })).body;
  const first = await page({ limit: "4" });
  expect(first.data[0]).toEqual({
    id: expect.stringMatching(/^\d+$/),
    at: expect.any(String),
    from: "open",
    to: "closed",
    cause: "closed_by_hand",
    cooldown_seconds: 300,
  });
  expect(first.data).toHaveLength(4);
  const second = await page({ limit: "4", cursor: first.next_cursor });
  expect(second.data).toHaveLength(2);
  expect((await page({ limit: "4", cursor: second.previous_cursor })).data).toEqual(first.data);
  expect(await api.call(history, { params: { id }, query: { cursor: "abc" } })).toMatchObject({
    status: 422,
  });
});

test("the console does the same, in the name of who is signed in", async () => {
  const headers = { authorization: null };
  const held = await api.call(consoleHold, { headers, params: { id }, body: reason });
  expect(held).toMatchObject({
    status: 200,
    body: { breaker: { held_by: expect.stringMatching(/^admin /) } },
  });
  expect((await api.call(consoleHistory, { headers, params: { id } })).body.data).toHaveLength(1);
});

test("what does not exist, or was deleted, is not found", async () => {
  await api.call(endpoint.DELETE, { method: "DELETE", params: { id } });
  for (const missing of [id, nowhere, "1"]) {
    const params = { id: missing };
    expect((await api.call(hold, { params, body: reason })).status).toBe(404);
    expect((await api.call(reset, { method: "POST", params })).status).toBe(404);
    expect((await api.call(close, { method: "POST", params })).status).toBe(404);
    expect((await api.call(history, { params })).status).toBe(404);
  }
});
