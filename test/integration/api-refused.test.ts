import { beforeAll, describe, expect, test } from "vitest";
import { setUpApi } from "#test/helpers/api.ts";
import * as consoleEndpoint from "../../app/api/console/endpoints/[id]/route.ts";
import * as consoleEndpoints from "../../app/api/console/endpoints/route.ts";
import * as affiliates from "../../app/api/v1/affiliates/route.ts";
import * as endpoint from "../../app/api/v1/endpoints/[id]/route.ts";
import * as endpoints from "../../app/api/v1/endpoints/route.ts";
import { POST as preview } from "../../app/api/v1/templates/preview/route.ts";

const api = setUpApi();
const sound = { affiliate: "acme", name: "Orders", url: "https://example.com/hook" };
let id = "";

beforeAll(async () => {
  // As deployed: no private network is allowed, and no plain http.
  process.env.POSTHORN_ALLOWED_SUBNETS = "";
  process.env.POSTHORN_ALLOW_HTTP = "false";
  await api.call(affiliates.POST, { body: { key: "acme", name: "Acme" } });
  id = (await api.call(endpoints.POST, { body: sound })).body.id;
});

const contents = async () =>
  (
    await api.database.pool.query(
      `select count(*), md5(string_agg(e::text || h::text, '' order by e.id)) as hash,
         (select count(*) from posthorn.audit_log) as audit
       from posthorn.endpoints e join posthorn.endpoint_health h on h.endpoint_id = e.id`,
    )
  ).rows[0];

/** Refused by the API and by the console, for a new endpoint and for an edit, and nothing half-done remains. */
async function expectRefused(fields: Record<string, unknown>, field: string) {
  const before = await contents();
  const answers = await Promise.all([
    api.call(endpoints.POST, { body: { ...sound, ...fields } }),
    api.call(endpoint.PATCH, { method: "PATCH", params: { id }, body: fields }),
    api.call(consoleEndpoints.POST, { headers: { authorization: null }, body: { ...sound, ...fields } }),
    api.call(consoleEndpoint.PATCH, {
      method: "PATCH",
      headers: { authorization: null },
      params: { id },
      body: fields,
    }),
  ]);
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid_input" } });
    const errors: { field: string; message: string }[] = answer.body.errors;
    expect(errors.map((error) => error.field)).toContain(field);
    for (const error of errors) expect(error.message).not.toBe("");
  }
  expect(await contents()).toEqual(before);
}

const retry = { max_attempts: 5, base_seconds: 30, cap_seconds: 3_600 };
const rate = { amount: 100, per: "minute" };
const status = (...statuses: unknown[]) => ({ kind: "status_in", statuses, retry: false });
const contains = { kind: "body_contains", text: "ok", retry: false };
const lacks = { kind: "body_does_not_contain", text: "success=false", retry: false };

describe("impossible settings are refused at save, with the field named", () => {
  test.each([
    [{ timeout_ms: 0 }, "timeout_ms"],
    [{ timeout_ms: 999 }, "timeout_ms"],
    [{ timeout_ms: 600_000 }, "timeout_ms"],
    [{ timeout_ms: 1_500.5 }, "timeout_ms"],
    [{ timeout_ms: null }, "timeout_ms"],
    [{ retry: { ...retry, max_attempts: 0 } }, "retry.max_attempts"],
    [{ retry: { ...retry, max_attempts: 31 } }, "retry.max_attempts"],
    [{ retry: { ...retry, base_seconds: 0 } }, "retry.base_seconds"],
    [{ retry: { ...retry, cap_seconds: 86_401 } }, "retry.cap_seconds"],
    [{ retry: { ...retry, cap_seconds: 29 } }, "retry.cap_seconds"],
    [{ concurrency: 0 }, "concurrency"],
    [{ concurrency: 257 }, "concurrency"],
  ])("%j", expectRefused);
});

describe("rates", () => {
  test.each([
    [{ rate_limit: { ...rate, amount: 0 } }, "rate_limit.amount"],
    [{ rate_limit: { ...rate, amount: -5 } }, "rate_limit.amount"],
    [{ rate_limit: { ...rate, amount: 1_000_001 } }, "rate_limit.amount"],
    [{ rate_limit: { ...rate, amount: 0.5 } }, "rate_limit.amount"],
    [{ rate_limit: { ...rate, amount: "100" } }, "rate_limit.amount"],
    [{ rate_limit: { ...rate, per: "day" } }, "rate_limit.per"],
    [{ rate_limit: { amount: 100 } }, "rate_limit.per"],
    [{ rate_limit: { ...rate, burst: 0 } }, "rate_limit.burst"],
    [{ rate_limit: { ...rate, burst: -1 } }, "rate_limit.burst"],
    [{ rate_limit: { ...rate, burst: 1_000_001 } }, "rate_limit.burst"],
    [{ rate_limit: { ...rate, unit: "x" } }, "rate_limit.unit"],
    [{ rate_limit: 100 }, "rate_limit"],
  ])("%j", expectRefused);
});

describe("case 15: headers that HTTP forbids, or that are ours", () => {
  test.each([
    "Host",
    "content-length",
    "Content-Type",
    "webhook-id",
    "Webhook-Signature",
    "webhook-timestamp",
    "webhook-anything",
    "posthorn-attempt",
    "User-Agent",
    "Connection",
    "keep-alive",
    "Proxy-Authorization",
    "TE",
    "Trailer",
    "Transfer-Encoding",
    "Upgrade",
    "Expect",
    "",
    "X Token",
    "X-Token:",
    "X-Tokén",
    "X\r\nToken",
    "X\0Token",
    `X-${"a".repeat(99)}`,
  ])("the name %j", (name) => expectRefused({ headers: [{ name, value: "1" }] }, "headers.0.name"));

  test.each([
    "",
    "a\r\nX-Other: b",
    "a\nb",
    "a\rb",
    "a\0b",
    "a\x01b",
    "a\x7fb",
    " a",
    "a\t",
    "€",
    "😀",
    "x".repeat(2_001),
    7,
    undefined,
  ])("the value %j", (value) => expectRefused({ headers: [{ name: "X-Token", value }] }, "headers.0.value"));

  test("null where nothing is stored", () =>
    expectRefused({ headers: [{ name: "X-Token", value: null }] }, "headers.0.value"));

  test("`User-Agent` and `user-agent` together, or any other name twice", async () => {
    const both = ["User-Agent", "user-agent"].map((name) => ({ name, value: "mine" }));
    await expectRefused({ headers: both }, "headers.1.name");
    const twice = ["X-Token", "x-toKEN"].map((name) => ({ name, value: "1" }));
    await expectRefused({ headers: twice }, "headers.1.name");
  });

  test("more than twenty, or no list at all", async () => {
    const headers = Array.from({ length: 21 }, (_, n) => ({ name: `X-${n}`, value: "1" }));
    await expectRefused({ headers }, "headers");
    await expectRefused({ headers: { "X-Token": "1" } }, "headers");
    await expectRefused({ headers: [{ name: "X-Token", value: "1", secret: true }] }, "headers.0.secret");
  });

  test("no answer repeats a value that it refuses", async () => {
    const headers = [{ name: "Host", value: "canary-credential" }];
    const { body } = await api.call(endpoints.POST, { body: { ...sound, headers } });
    expect(JSON.stringify(body)).not.toContain("canary");
  });
});

describe("response rules that are impossible, or contradict each other", () => {
  test.each([
    [[status()], "response_rules.0.statuses"],
    [[status(404)], "response_rules.0.statuses"],
    [[status(99)], "response_rules.0.statuses"],
    [[status(999)], "response_rules.0.statuses"],
    [[status("200")], "response_rules.0.statuses.0"],
    [[status(200.5)], "response_rules.0.statuses.0"],
    [[status(200), status(201)], "response_rules.1.statuses"],
    [[status(204), contains], "response_rules.1.text"],
    [[contains, { ...contains, kind: "body_does_not_contain" }], "response_rules.1.text"],
    [[lacks, { ...lacks, kind: "body_equals" }], "response_rules.1.text"],
    [[{ ...contains, text: "" }], "response_rules.0.text"],
    [[{ ...contains, text: "a\0" }], "response_rules.0.text"],
    [[{ ...contains, text: "\ud800" }], "response_rules.0.text"],
    [[{ ...contains, text: "x".repeat(1_001) }], "response_rules.0.text"],
    [[{ kind: "body_contains", text: "ok" }], "response_rules.0.retry"],
    [[{ kind: "duplicate", text: "dup", retry: true }], "response_rules.0.retry"],
    [[{ kind: "body_matches", text: "ok", retry: true }], "response_rules.0.kind"],
    [Array.from({ length: 21 }, () => lacks), "response_rules"],
    ["success", "response_rules"],
  ])("%j", (rules, field) => expectRefused({ response_rules: rules }, field));
});

describe("case 14: addresses that may not be reached", () => {
  test.each([
    "https://2130706433/",
    "https://0x7f.1/",
    "https://127.1/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[64:ff9b::a9fe:a9fe]/",
    "https://169.254.169.254/latest/meta-data",
    "https://10.0.0.5/",
    "https://localhost./",
    "https://LOCALHOST:8443/",
    "https://0/",
    "https://user:pass@example.com/",
    "https://example.com/#here",
    "https://example.com/\ta",
    "http://example.com/",
    "ftp://example.com/",
    "example.com/hook",
  ])("%s", (url) => expectRefused({ url }, "url"));
});

describe("the same of a postback's template, and of one that is only previewed", () => {
  test.each([
    "http://trk.example/?c={click_id}",
    "https://10.0.0.5/{click_id}",
    "https://2130706433/{click_id}",
  ])("%s", async (url) => {
    const refused = (field: string) => ({
      status: 422,
      body: { code: "invalid_input", errors: [{ field }] },
    });
    const postback = { ...sound, kind: "postback", event_types: ["ftd"], url };
    expect(await api.call(endpoints.POST, { body: postback })).toMatchObject(refused("url"));
    const body = { template: url, event: { type: "ftd", data: {} } };
    expect(await api.call(preview, { body })).toMatchObject(refused("template"));
  });
});
