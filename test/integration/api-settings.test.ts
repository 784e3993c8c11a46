import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { reencryptSecrets } from "#lib/endpoints/reencrypt.ts";
import type { Lookup } from "#lib/http/connector.ts";
import { decryptSecret } from "#lib/secrets.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { publish, publishMany, testSecretKey } from "#test/helpers/factories.ts";
import { type ReceivedRequest, type Receiver, startReceiver } from "#test/helpers/receiver.ts";
import { eventually, startWorker } from "#test/helpers/workers.ts";
import * as affiliates from "../../app/api/v1/affiliates/route.ts";
import * as delivery from "../../app/api/v1/deliveries/[id]/route.ts";
import { POST as pause } from "../../app/api/v1/endpoints/[id]/pause/route.ts";
import { POST as resume } from "../../app/api/v1/endpoints/[id]/resume/route.ts";
import { POST as rotateSecret } from "../../app/api/v1/endpoints/[id]/rotate-secret/route.ts";
import * as endpoint from "../../app/api/v1/endpoints/[id]/route.ts";
import * as endpoints from "../../app/api/v1/endpoints/route.ts";

const api = setUpApi();
const values = ["Bearer canary-1", "canary-2"] as const;
const headers = [
  { name: "Authorization", value: values[0] },
  { name: "X-Partner", value: values[1] },
];
const masked = headers.map(({ name }) => ({ name, value: null }));
let receiver: Receiver;
let made = 0;
let affiliate = "";
let id = "";

beforeAll(async () => {
  process.env.POSTHORN_ALLOWED_SUBNETS = "127.0.0.0/8,::1/128";
  receiver = await startReceiver();
});
afterAll(() => receiver.close());
beforeEach(() => make());

async function make(fields: Record<string, unknown> = {}) {
  made += 1;
  affiliate = `owner-${made}`;
  await api.call(affiliates.POST, { body: { key: affiliate, name: affiliate } });
  const body = { affiliate, name: "Orders", url: receiver.url(`/${made}`), ...fields };
  const answer = await api.call(endpoints.POST, { body });
  expect(answer.status).toBe(201);
  id = answer.body.id;
  return answer.body;
}

const edit = (body: unknown) => api.call(endpoint.PATCH, { method: "PATCH", params: { id }, body });
const get = async () => (await api.call(endpoint.GET, { params: { id } })).body;
const path = () => `/${made}`;

async function row() {
  const { rows } = await api.database.pool.query(
    `select *, h.ready_at <= now() as is_ready from posthorn.endpoints e
     join posthorn.endpoint_health h on h.endpoint_id = e.id where e.id = $1`,
    [id],
  );
  return rows[0];
}

async function audit() {
  const { rows } = await api.database.pool.query(
    "select action, before, after from posthorn.audit_log where object_id = $1 order by id",
    [id],
  );
  return rows;
}

async function onlyDelivery() {
  const { rows } = await api.database.pool.query(
    "select id, state, reason from posthorn.deliveries where endpoint_id = $1",
    [id],
  );
  return rows[0];
}

/** The values of a header in a request, whatever its case. */
function valuesOf(request: ReceivedRequest | undefined, name: string): string[] {
  return (request?.headers ?? []).flatMap((text, i, all) =>
    i % 2 === 0 && text.toLowerCase() === name ? [all[i + 1] as string] : [],
  );
}

/** What follows the last header of ours, up to the sender's content-length. */
function ownOf(request: ReceivedRequest | undefined): string[] | undefined {
  const all = request?.headers ?? [];
  return all.slice(all.indexOf("posthorn-attempt") + 2, all.indexOf("content-length"));
}

describe("the rate limit", () => {
  test("is none unless given; its burst is a tenth, at least 1", async () => {
    expect((await get()).rate_limit).toBeNull();
    await make({ rate_limit: { amount: 250, per: "hour" } });
    expect((await get()).rate_limit).toEqual({ amount: 250, per: "hour", burst: 25 });
    expect(await row()).toMatchObject({ rate_amount: 250, rate_period_seconds: 3_600, rate_burst: 25 });
    await make({ rate_limit: { amount: 5, per: "second" } });
    expect((await get()).rate_limit).toEqual({ amount: 5, per: "second", burst: 1 });
    await make({ rate_limit: { amount: 1_000_000, per: "minute", burst: 1_000_000 } });
    expect((await get()).rate_limit).toEqual({ amount: 1_000_000, per: "minute", burst: 1_000_000 });
  });

  test("that is changed or taken away starts afresh, and waits for no token of the old one", async () => {
    await make({ rate_limit: { amount: 1, per: "hour" } });
    const empty = () =>
      api.database.pool.query(
        `update posthorn.endpoint_health set bucket_level = 0, bucket_at_ms = extract(epoch from now()) * 1000,
           ready_at = now() + interval '1 hour' where endpoint_id = $1`,
        [id],
      );
    await empty();
    await edit({ name: "Others" });
    expect(await row()).toMatchObject({ is_ready: false, bucket_level: "0" });
    const answer = await edit({ rate_limit: { amount: 100, per: "minute" } });
    expect(answer.body.rate_limit).toEqual({ amount: 100, per: "minute", burst: 10 });
    expect(await row()).toMatchObject({ is_ready: true, bucket_level: null, bucket_at_ms: null });
    await empty();
    expect((await edit({ rate_limit: null })).body.rate_limit).toBeNull();
    expect(await row()).toMatchObject({ is_ready: true, rate_amount: null, rate_burst: null });
    expect((await audit()).at(-1)).toEqual({
      action: "endpoint.edit",
      before: { rate_limit: { amount: 100, per: "minute", burst: 10 } },
      after: { rate_limit: null },
    });
  });
});

describe("an endpoint's own headers", () => {
  test("are shown by name; no answer, row or audit line holds a value", async () => {
    const created = await make({ headers });
    expect(created.headers).toEqual(masked);
    expect((await edit({ headers: [{ name: "X-Partner", value: "canary-3" }] })).body.headers).toEqual([
      masked[1],
    ]);
    const { header_values: ciphertext, ...rest } = await row();
    const seen = JSON.stringify([created, await get(), rest, await audit()]);
    expect(seen).not.toContain("canary");
    expect(ciphertext.toString("latin1")).not.toContain("canary");
    expect((await audit()).map(({ after }) => [after.headers, after.new_header_values])).toEqual([
      [["Authorization", "X-Partner"], undefined],
      [["X-Partner"], ["X-Partner"]],
    ]);
  });

  test("case 15: are sent after ours, in their order, with one User-Agent; an edit keeps what it gives no value for", async () => {
    await make({ headers: [...headers, { name: "x-latin", value: "caf\u00e9 \t~" }] });
    await startWorker(api.database.url);
    await publish(api.database.pool, { affiliate });
    const [first] = await receiver.waitFor(path(), 1);
    expect(ownOf(first)).toEqual([
      "Authorization",
      values[0],
      "X-Partner",
      values[1],
      "x-latin",
      "caf\u00e9 \t~",
    ]);
    expect(valuesOf(first, "user-agent")).toEqual([expect.stringMatching(/^Posthorn\//)]);
    expect(valuesOf(first, "content-type")).toEqual(["application/json"]);

    const edited = [
      { name: "x-partner", value: null },
      { name: "Authorization", value: "Bearer new" },
    ];
    expect((await edit({ headers: edited })).body.headers).toEqual([
      { name: "x-partner", value: null },
      { name: "Authorization", value: null },
    ]);
    await publish(api.database.pool, { affiliate });
    const [, second] = await receiver.waitFor(path(), 2);
    expect(ownOf(second)).toEqual(["x-partner", values[1], "Authorization", "Bearer new"]);

    await edit({ headers: [] });
    expect(await row()).toMatchObject({ header_names: [], header_values: null });
    await publish(api.database.pool, { affiliate });
    const [, , third] = await receiver.waitFor(path(), 3);
    expect(ownOf(third)).toEqual([]);
  });

  test("that change make the next delivery the probe; the same again changes nothing", async () => {
    await make({ headers });
    const open = `update posthorn.endpoint_health set breaker = 'open', ready_at = now() + interval '1 hour'
      where endpoint_id = $1`;
    await api.database.pool.query(open, [id]);
    const before = await row();
    for (const same of [headers, masked]) expect((await edit({ headers: same })).status).toBe(200);
    expect(await row()).toEqual(before);
    expect(await audit()).toHaveLength(1);
    await edit({ headers: [headers[0], { ...headers[1], value: "canary-4" }] });
    expect(await row()).toMatchObject({ breaker: "open", is_ready: true });
    expect((await audit()).at(-1).after).toEqual({
      headers: ["Authorization", "X-Partner"],
      new_header_values: ["X-Partner"],
    });
  });

  test("are encrypted anew after a change of the key, and stay what they were", async () => {
    await make({ headers });
    const before = (await row()).header_values as Buffer;
    const current = Buffer.alloc(32, 8);
    expect(await reencryptSecrets(api.database.pool, [current, testSecretKey])).toBeGreaterThan(0);
    const after = (await row()).header_values as Buffer;
    const open = (ciphertext: Buffer, key: Buffer) =>
      decryptSecret(ciphertext, { keys: [key], context: id }).toString();
    expect(open(after, current)).toBe(open(before, testSecretKey));
    // Back, for the tests that follow.
    await reencryptSecrets(api.database.pool, [testSecretKey, current]);
  });

  test("are of use to their own endpoint only, wherever their row is copied to", async () => {
    await make({ headers });
    const other = id;
    await make({ headers: [{ name: "X-Other", value: "1" }] });
    await api.database.pool.query(
      `update posthorn.endpoints e set header_values = o.header_values from posthorn.endpoints o
       where e.id = $1 and o.id = $2`,
      [id, other],
    );
    expect(await edit({ headers: masked })).toMatchObject({ status: 500, body: { code: "internal_error" } });
  });
});

describe("response rules", () => {
  const rules = [
    { kind: "status_in", statuses: [200, 201], retry: true },
    { kind: "body_does_not_contain", text: "success=false", retry: false },
    { kind: "duplicate", text: "already known" },
  ];

  test("are kept as they are given, and the same again is no change", async () => {
    expect((await get()).response_rules).toEqual([]);
    await edit({ response_rules: rules });
    expect(JSON.stringify((await get()).response_rules)).toBe(JSON.stringify(rules));
    expect(await audit()).toHaveLength(2);
    await edit({ response_rules: rules });
    expect(await audit()).toHaveLength(2);
    await edit({ response_rules: [] });
    expect((await audit()).at(-1)).toMatchObject({ before: { response_rules: rules } });
  });

  test.each([
    [false, "dead_letter"],
    [true, "failed"],
  ])("case 18: a 200 that must not contain success=false, retried: %s", async (retry, state) => {
    await make({ response_rules: [{ kind: "body_does_not_contain", text: "success=false", retry }] });
    receiver.script(path(), { body: "code=7&success=false" });
    await startWorker(api.database.url);
    await publish(api.database.pool, { affiliate });
    const ended = await eventually(async () => {
      const current = await onlyDelivery();
      return current?.state === state && current;
    });
    expect(ended.reason).toBe("rejected_by_response");
    const { body } = await api.call(delivery.GET, { params: { id: String(ended.id) } });
    expect(JSON.stringify(body.attempts)).toContain("success=false");
    expect(body.attempts[0]).toMatchObject({ status: 200, reason: "rejected_by_response" });
    // Whatever a rule refuses says nothing about the endpoint's health.
    expect((await get()).health.consecutive_failures).toBe(0);
  });

  test("a body that means a duplicate counts as delivered, whatever its status", async () => {
    await make({ response_rules: rules });
    receiver.script(path(), { status: 409, body: "order already known" });
    await startWorker(api.database.url);
    await publish(api.database.pool, { affiliate });
    await eventually(async () => (await onlyDelivery())?.state === "delivered");
  });
});

describe("case 16: a URL", () => {
  test("is sent as it is shown after saving: slashes, queries, ports, IPv6 and international hosts", async () => {
    const { pool } = api.database;
    const six = await startReceiver({ host: "::1" });
    // Names are looked up where they cannot lead anywhere else.
    const asked: string[] = [];
    const lookup: Lookup = (hostname, _options, callback) => {
      asked.push(hostname);
      setImmediate(() => callback(null, [{ address: "127.0.0.1", family: 4 }]));
    };
    await startWorker(api.database.url, { sender: { lookup } });
    const { port } = receiver;
    const given: [url: string, shown: string][] = [
      [`HTTP://127.0.0.1:${port}/hook`, `http://127.0.0.1:${port}/hook`],
      [`http://127.0.0.1:${port}/hook/`, `http://127.0.0.1:${port}/hook/`],
      [`http://127.0.0.1:${port}`, `http://127.0.0.1:${port}/`],
      [`http://127.0.0.1:${port}/hook?b=2&a=%20x&a`, `http://127.0.0.1:${port}/hook?b=2&a=%20x&a`],
      [`http://127.0.0.1:${port}/h%C3%B6\u00f6k`, `http://127.0.0.1:${port}/h%C3%B6%C3%B6k`],
      [`http://127.0.0.1:${port}/a/../b`, `http://127.0.0.1:${port}/b`],
      [`http://B\u00fccher.example:${port}/idn`, `http://xn--bcher-kva.example:${port}/idn`],
      [six.url("/six"), `http://[::1]:${six.port}/six`],
    ];
    for (const [url, shown] of given) {
      expect((await make({ url })).url).toBe(shown);
      await publish(pool, { affiliate });
    }
    const arrived = () =>
      [...receiver.requests(), ...six.requests()]
        .map((request) => `http://${valuesOf(request, "host")[0]}${request.path}`)
        .filter((url) => given.some(([, shown]) => shown === url));
    await eventually(async () => arrived().length === given.length).finally(() => six.close());
    expect(arrived().sort()).toEqual(given.map(([, shown]) => shown).sort());
    expect(asked).toEqual(["xn--bcher-kva.example"]);
  });

  test("with user and password is refused, and a header offered in their place", async () => {
    const body = { affiliate, name: "Orders", url: `http://canary:secret@127.0.0.1:${receiver.port}/hook` };
    const refused = await api.call(endpoints.POST, { body });
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: [{ field: "url", message: expect.stringContaining("give credentials in a header") }] },
    });
    expect(JSON.stringify(refused.body)).not.toMatch(/canary|secret/);
    expect(await edit({ url: body.url })).toMatchObject({
      status: 422,
      body: { errors: [{ field: "url" }] },
    });
  });
});

test("case 26: what was held while it was disabled is counted, and goes out in order, throttled", async () => {
  const { pool } = api.database;
  await make({ concurrency: 1 });
  await startWorker(api.database.url);
  await pool.query("update posthorn.endpoints set status = 'disabled' where id = $1", [id]);
  await pool.query("update posthorn.endpoint_health set ready_at = 'infinity' where endpoint_id = $1", [id]);
  await publishMany(pool, { affiliate, count: 40 });
  await eventually(async () => (await get()).backlog.waiting === 40);
  expect(receiver.requests(path())).toEqual([]);
  await api.call(resume, { method: "POST", params: { id } });
  const requests = await receiver.waitFor(path(), 40, 20_000);
  const numbers = requests.map((request) => JSON.parse(request.body.toString()).data.n);
  expect(numbers).toEqual(Array.from({ length: 40 }, (_, n) => n));
  const [first, last] = [requests[0], requests.at(-1)] as [ReceivedRequest, ReceivedRequest];
  // Ten at once, then ten a second.
  expect(last.receivedAt - first.receivedAt).toBeGreaterThan(2_500);
});

test("case 27: what was changed holds for the next event, in every process", async () => {
  const { pool } = api.database;
  await Promise.all([startWorker(api.database.url), startWorker(api.database.url)]);
  const next = async (at: string, count: number) => {
    await publish(pool, { affiliate });
    return (await receiver.waitFor(at, count)).at(-1) as ReceivedRequest;
  };
  for (let n = 1; n <= 4; n += 1) await next(path(), n);

  await edit({ url: receiver.url("/moved") });
  for (let n = 1; n <= 4; n += 1) await next("/moved", n);
  expect(receiver.requests(path())).toHaveLength(4);

  const { body: rotated } = await api.call(rotateSecret, { params: { id }, body: { overlap_hours: 0 } });
  for (let n = 5; n <= 8; n += 1) {
    const request = await next("/moved", n);
    const signed = Object.fromEntries(
      ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [
        name,
        valuesOf(request, name)[0],
      ]),
    ) as Record<string, string>;
    new Webhook(rotated.secret).verify(request.body.toString(), signed);
  }

  await edit({ rate_limit: { amount: 1, per: "hour", burst: 2 } });
  await publishMany(pool, { affiliate, count: 6 });
  await receiver.waitFor("/moved", 10);
  await sleep(1_500);
  expect(receiver.requests("/moved")).toHaveLength(10);

  await api.call(pause, { method: "POST", params: { id } });
  await edit({ rate_limit: null });
  await sleep(1_500);
  expect(receiver.requests("/moved")).toHaveLength(10);
});
