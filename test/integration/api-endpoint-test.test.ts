import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { setUpApi } from "#test/helpers/api.ts";
import { whileAuditFails } from "#test/helpers/audit.ts";
import { publish } from "#test/helpers/factories.ts";
import { startReceiver } from "#test/helpers/receiver.ts";
import { eventually } from "#test/helpers/workers.ts";
import { POST as consoleTest } from "../../app/api/console/endpoints/[id]/test/route.ts";
import * as affiliates from "../../app/api/v1/affiliates/route.ts";
import { POST as pause } from "../../app/api/v1/endpoints/[id]/pause/route.ts";
import * as endpoint from "../../app/api/v1/endpoints/[id]/route.ts";
import { POST as testRoute } from "../../app/api/v1/endpoints/[id]/test/route.ts";
import * as endpoints from "../../app/api/v1/endpoints/route.ts";

const receiver = await startReceiver();
const api = setUpApi();
const nowhere = "01890a5d-ac96-774b-bcce-b302099a8057";
let path = "";
let paths = 0;

beforeAll(async () => {
  for (const key of ["acme", "other"]) await api.call(affiliates.POST, { body: { key, name: key } });
});
beforeEach(() => {
  path = `/t-${++paths}`;
});
afterAll(() => receiver.close());

async function make(fields: Record<string, unknown> = {}): Promise<{ id: string; secret: string }> {
  const body = { affiliate: "acme", name: "E", url: receiver.url(path), ...fields };
  const made = await api.call(endpoints.POST, { body });
  expect(made).toMatchObject({ status: 201 });
  return made.body;
}
const makePostback = (query: string, fields: Record<string, unknown> = {}) =>
  make({
    kind: "postback",
    url: receiver.url(path) + query,
    event_types: ["conversion.approved"],
    ...fields,
  });
const tryOut = (id: string, body?: object) =>
  api.call(testRoute, { method: "POST", params: { id }, ...(body ? { body } : {}) });
const live = (id: string, more: object = {}) => tryOut(id, { live: true, ...more });

async function auditOf(id: string) {
  const { rows } = await api.database.pool.query(
    "select action, affiliate_id, before, after from posthorn.audit_log where object_id = $1 order by id",
    [id],
  );
  return rows.filter(({ action }) => action === "endpoint.test");
}

/** Everything that a delivery would leave behind, as text. */
async function traces(): Promise<string> {
  const tables = [
    "events",
    "event_outbox",
    "event_keys",
    "deliveries",
    "delivery_requests",
    "delivery_attempts",
    "attempt_responses",
    "delivery_minutes",
    "endpoint_health",
    "endpoint_latency",
    "endpoint_percentiles",
    "breaker_transitions",
  ];
  const rows = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await api.database.pool.query(
        `select t::text as row from posthorn.${table} t order by t::text`,
      );
      return [table, rows.map(({ row }) => row)];
    }),
  );
  return JSON.stringify(rows, null, 1);
}

const unsent = { response: null, error: null, duration_ms: null, delivered: null };

describe("a dry run", () => {
  test("shows a webhook's request, and sends nothing", async () => {
    const { id, secret } = await make({
      event_types: ["ftd", "deposit"],
      headers: [{ name: "Authorization", value: "Bearer canary" }],
    });
    const { status, body } = await tryOut(id);
    expect({ status, body }).toMatchObject({ status: 200, body: { ...unsent, request: { method: "POST" } } });
    const headers = Object.fromEntries(body.request.headers);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "posthorn-attempt": "1",
      "posthorn-test": "true",
      Authorization: "••••••",
    });
    expect(headers["webhook-id"]).toMatch(/^test_/);
    expect(body.request.url).toBe(receiver.url(path));
    const event = new Webhook(secret).verify(body.request.body, headers) as Record<string, unknown>;
    expect(event).toMatchObject({
      id: headers["webhook-id"],
      type: "ftd",
      data: { click_id: expect.any(String) },
    });
    expect(JSON.stringify(body)).not.toContain("canary");
    expect(receiver.requests(path)).toEqual([]);
  });

  test("shows a postback's request with its secrets as macros", async () => {
    const { id, secret } = await makePostback("?c={click_id}&t={secret.t}&p={payout}", {
      postback: { sign: true },
      macro_secrets: [{ name: "t", value: "canary" }],
    });
    const { body } = await tryOut(id);
    const examples = /^(.*\?c=[^&]+&t=\{secret\.t\}&p=[\d.]+)&sig=([0-9a-f]{64})$/.exec(body.request.url);
    const key = Buffer.from(secret.replace("whsec_", ""), "base64");
    const signed = examples?.[1]?.replace("{secret.t}", "canary") ?? "";
    expect(examples?.[2]).toBe(createHmac("sha256", key).update(signed).digest("hex"));
    expect(body).toMatchObject({ ...unsent, request: { method: "GET", body: null } });
    expect(JSON.stringify(body)).not.toContain("canary");
  });

  test("of an event keeps the digits that it came with, and not its id", async () => {
    const { id } = await makePostback("", {
      postback: {
        method: "POST",
        content_type: "application/json",
        body: '{"i":"{event_id}","p":{payout},"k":"{secret.k}"}',
      },
      macro_secrets: [{ name: "k", value: "canary" }],
    });
    const event_id = await publish(api.database.pool, {
      affiliate: "acme",
      data: '{"payout":12345678901234567890.10}',
      occurredAt: "2026-01-31T23:30:00.000Z",
    });
    const { body } = await tryOut(id, { event_id });
    expect(body.request.body).toMatch(
      /^\{"i":"test_[0-9a-f-]{36}","p":12345678901234567890\.10,"k":"\{secret\.k\}"\}$/,
    );
    expect(JSON.stringify(await auditOf(id))).not.toContain("1234567890");
  });

  test("needs no body, and answers the console alike", async () => {
    const { id } = await make();
    const params = { id };
    const console = await api.call(consoleTest, { method: "POST", params, headers: { authorization: null } });
    expect(console).toMatchObject({ status: 200, body: { ...unsent, request: { method: "POST" } } });
    const nobody = await api.call(testRoute, { method: "POST", params, headers: { authorization: null } });
    expect(nobody.status).toBe(401);
  });

  test("says why an event would never be sent", async () => {
    const { id } = await makePostback("/{sub1|x}/{sub2}?c={click_id}");
    const eventWith = (data: string) => publish(api.database.pool, { affiliate: "acme", data });
    const noClick = await tryOut(id, { event_id: await eventWith('{"sub2":"b"}'), live: true });
    expect(noClick.body).toEqual({ ...unsent, request: null, skipped: "missing_click_id" });
    const dots = await tryOut(id, { event_id: await eventWith('{"click_id":"q","sub2":".."}'), live: true });
    expect(dots.body).toEqual({ ...unsent, request: null, failed: "unsafe_path_value" });
    expect(receiver.requests()).toEqual([]);
    expect((await auditOf(id)).map(({ after }) => after)).toEqual([
      { live: true, event_type: "conversion.approved", skipped: "missing_click_id" },
      { live: true, event_type: "conversion.approved", failed: "unsafe_path_value" },
    ]);
  });

  test("says that a secret is missing", async () => {
    const { id } = await makePostback("?k={secret.k}", { macro_secrets: [{ name: "k", value: "v" }] });
    await api.database.pool.query(
      "update posthorn.endpoints set macro_secret_names = '{}', macro_secret_values = null where id = $1",
      [id],
    );
    expect((await tryOut(id)).body).toEqual({ ...unsent, request: null, failed: "secret_missing" });
  });
});

describe("what is refused names its field", () => {
  test.each([
    [{ live: "yes" }, "live"],
    [{ type: "no.such" }, "type"],
    [{ type: "constructor" }, "type"],
    [{ type: 7 }, "type"],
    [{ type: "registration" }, "type"],
    [{ event_id: "no-such" }, "event_id"],
    [{ event_id: "a b" }, "event_id"],
    [{ event_id: "no-such", type: "ftd" }, "type"],
    [{ url: "https://example.com" }, "url"],
    [[], "body"],
  ])("%j", async (body, field) => {
    const { id } = await make({ event_types: ["ftd"] });
    expect(await tryOut(id, body)).toMatchObject({ status: 422, body: { errors: [{ field }] } });
  });

  test("an event of another affiliate, or of a type that it does not get", async () => {
    const { id } = await make({ event_types: ["ftd"] });
    for (const [affiliate, type] of [
      ["other", "ftd"],
      ["acme", "deposit"],
    ] as const) {
      const event_id = await publish(api.database.pool, { affiliate, type });
      const answer = await live(id, { event_id });
      expect(answer).toMatchObject({ status: 422, body: { errors: [{ field: "event_id" }] } });
    }
    expect(receiver.requests(path)).toEqual([]);
  });

  test("an event whose data are gone", async () => {
    const { id } = await make();
    const event_id = await publish(api.database.pool, { affiliate: "acme" });
    await api.database.pool.query("delete from posthorn.event_bodies where event_id = $1", [event_id]);
    expect(await tryOut(id, { event_id })).toMatchObject({ status: 409, body: { code: "body_purged" } });
  });

  test("no such endpoint, or a deleted one", async () => {
    const { id } = await make();
    await api.call(endpoint.DELETE, { method: "DELETE", params: { id } });
    for (const gone of [id, nowhere, "x"]) expect((await live(gone)).status).toBe(404);
    expect(receiver.requests(path)).toEqual([]);
  });
});

describe("a live test", () => {
  test("sends a signed webhook that says what it is, and shows the answer", async () => {
    receiver.script(path, { status: 201, headers: { "x-ref": "7" }, body: "taken" });
    const { id, secret } = await make({ headers: [{ name: "X-Token", value: "canary" }] });
    const { body } = await live(id, { type: "ftd" });
    const [request] = receiver.requests(path);
    const headers: Record<string, string> = {};
    for (let i = 0; i < (request?.headers.length ?? 0); i += 2) {
      headers[request?.headers[i] ?? ""] = request?.headers[i + 1] ?? "";
    }
    expect(headers).toMatchObject({ "posthorn-test": "true", "X-Token": "canary" });
    expect(headers["webhook-id"]).toMatch(/^test_/);
    expect(new Webhook(secret).verify(request?.body.toString() ?? "", headers)).toMatchObject({
      type: "ftd",
    });
    expect(body).toMatchObject({
      request: { body: request?.body.toString() },
      response: { status: 201, body: "taken", body_truncated: false },
      error: null,
      duration_ms: expect.any(Number),
      delivered: true,
    });
    expect(body.response.headers).toContainEqual(["x-ref", "7"]);
    expect(body.request.headers).toContainEqual(["X-Token", "••••••"]);
    expect(await auditOf(id)).toMatchObject([
      { after: { live: true, event_type: "ftd", status: 201, duration_ms: expect.any(Number) } },
    ]);
  });

  test("sends a postback with its secrets, which are shown as macros", async () => {
    const { id } = await makePostback("?t={secret.t}&s={sub1|none}", {
      macro_secrets: [{ name: "t", value: "canary" }],
    });
    const { body } = await live(id);
    expect(receiver.requests(path)[0]?.path).toMatch(/\?t=canary&s=/);
    expect(body).toMatchObject({ delivered: true, response: { status: 200 } });
    expect(body.request.url).toContain("?t={secret.t}&s=");
    const audit = JSON.stringify(await auditOf(id));
    expect(audit).not.toContain("canary");
    expect(audit).not.toContain("127.0.0.1");
  });

  test("goes out though the endpoint is paused, and every test is another event", async () => {
    const { id } = await make();
    await api.call(pause, { method: "POST", params: { id } });
    await live(id);
    await live(id);
    const ids = receiver
      .requests(path)
      .map(({ headers }) => headers[headers.findIndex((name) => name.toLowerCase() === "webhook-id") + 1]);
    expect(new Set(ids).size).toBe(2);
  });

  test("the response rules decide whether it was delivered", async () => {
    receiver.script(path, { body: "ERROR" }, { status: 500, body: "known already" }, { body: "OK" });
    const { id } = await make({
      response_rules: [
        { kind: "body_contains", text: "OK", retry: false },
        { kind: "duplicate", text: "known" },
      ],
    });
    const outcomes = [];
    for (let i = 0; i < 3; i += 1) outcomes.push((await live(id)).body.delivered);
    expect(outcomes).toEqual([false, true, true]);
  });

  test("a redirect is shown and not followed, a long answer is cut", async () => {
    receiver.script(path, { redirectTo: "/elsewhere" }, { hugeBodyBytes: 200_000 });
    const { id } = await make();
    const redirected = await live(id);
    expect(redirected.body).toMatchObject({ response: { status: 302 }, delivered: false });
    expect(redirected.body.response.headers).toContainEqual(["location", "/elsewhere"]);
    const long = await live(id);
    expect(long.body).toMatchObject({ response: { body_truncated: true }, delivered: true });
    expect(long.body.response.body).toHaveLength(65_536);
    expect(receiver.requests("/elsewhere")).toEqual([]);
  });

  test("an answer that never comes is an error with its reason", async () => {
    receiver.script(path, { hang: true });
    const { id } = await make({ timeout_ms: 1_000 });
    const error = { code: "POSTHORN_TIMEOUT", reason: "timeout" };
    expect((await live(id)).body).toMatchObject({ response: null, error, delivered: false });
    expect(await auditOf(id)).toMatchObject([{ after: { error_code: "POSTHORN_TIMEOUT" } }]);
  });

  test("an address that may not be reached is not, whatever was checked when it was saved", async () => {
    const { id } = await make();
    const url = "http://10.1.2.3/hook";
    await api.database.pool.query("update posthorn.endpoints set url = $2 where id = $1", [id, url]);
    const error = { code: "POSTHORN_BLOCKED_ADDRESS", reason: "blocked_address" };
    expect((await live(id)).body).toMatchObject({
      request: { url },
      response: null,
      error,
      delivered: false,
    });
  });

  test("leaves nothing behind, whatever became of it", async () => {
    receiver.script(path, {}, { status: 500 }, { status: 410 }, { status: 429 }, { reset: true });
    const { id } = await make();
    const before = await traces();
    for (let i = 0; i < 5; i += 1) expect((await live(id)).status).toBe(200);
    await tryOut(id);
    expect(await traces()).toBe(before);
    const { body } = await api.call(endpoint.GET, { params: { id } });
    expect(body).toMatchObject({ status: "active", health: { last_failure_at: null } });
  });

  test("holds no connection of the database while it waits", async () => {
    receiver.script(path, { hang: true });
    const { id } = await make({ timeout_ms: 2_000 });
    const under = live(id);
    await receiver.waitFor(path, 1);
    const { rows } = await api.database.pool.query(
      "select state from pg_stat_activity where application_name = 'posthorn-web' and datname = current_database()",
    );
    expect(rows.map(({ state }) => state)).toEqual(rows.map(() => "idle"));
    await under;
  });
});

test("what cannot be written down is not sent", async () => {
  const { id } = await make();
  const { status } = await whileAuditFails(api.database.pool, () => live(id));
  expect(status).toBe(500);
  expect(receiver.requests(path)).toEqual([]);
});

describe("limits", () => {
  test("ten are sent at once, and the next is told when to come back", async () => {
    receiver.script(path, { hang: true });
    const { id } = await make({ timeout_ms: 3_000 });
    const under = Array.from({ length: 10 }, () => live(id));
    await eventually(async () => receiver.requests(path).length === 10 || null);
    const refused = await live(id);
    expect(refused).toMatchObject({ status: 429, body: { code: "too_many_requests" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await tryOut(id)).status).toBe(200);
    expect((await Promise.all(under)).map(({ status }) => status)).toEqual(Array(10).fill(200));
    receiver.script(path, {});
    expect((await live(id)).status).toBe(200);
  });

  test("an endpoint has thirty a minute, counted in the database; another has its own", async () => {
    const [full, free] = [await make(), await make()];
    const age = (seconds: number) =>
      api.database.pool.query(
        `update posthorn.audit_log set at = at - $2 * interval '1 second' where object_id = $1`,
        [full.id, seconds],
      );
    for (let i = 0; i < 30; i += 1) expect((await live(full.id)).status).toBe(200);
    await age(20);
    const refused = await live(full.id);
    expect(refused).toMatchObject({ status: 429, body: { code: "too_many_requests" } });
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(40);
    expect(receiver.requests(path)).toHaveLength(30);
    expect((await live(free.id)).status).toBe(200);
    await age(41);
    // Each is written down before it is sent, so none slips past the others.
    for (let i = 0; i < 27; i += 1) expect((await live(full.id)).status).toBe(200);
    const atOnce = await Promise.all(Array.from({ length: 8 }, () => live(full.id)));
    expect(atOnce.filter(({ status }) => status === 200)).toHaveLength(3);
  });
});
