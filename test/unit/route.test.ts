import { describe, expect, test } from "vitest";
import { z } from "zod";
import { pageQuery } from "#lib/api/paging.ts";
import { type RouteContext, route, unknownRoute } from "#lib/api/route.ts";
import { Problem } from "#lib/errors.ts";

const host = { host: "localhost:3000" };
const context: RouteContext = { params: Promise.resolve({}) };

async function call(
  handler: ReturnType<typeof route>,
  init: RequestInit & { path?: string; params?: Record<string, string> } = {},
) {
  const { path = "/", params = {}, ...rest } = init;
  const request = new Request(`http://localhost:3000${path}`, { headers: host, ...rest });
  const response = await handler(request, { params: Promise.resolve(params) });
  const text = await response.text();
  return { response, status: response.status, body: text ? JSON.parse(text) : null };
}

const echo = route({
  auth: "visitor",
  body: z.strictObject({ name: z.string().min(1), tags: z.array(z.string()).optional() }),
  status: 201,
  handler: async ({ from, body }) => ({ by: from.address, body }),
});
const post = (body: BodyInit, headers: Record<string, string> = {}) =>
  call(echo, { method: "POST", body, headers: { ...host, "content-type": "application/json", ...headers } });

describe("an answer", () => {
  test("is JSON with a request id, and never cached", async () => {
    const { response, status, body } = await post('{"name":"a"}', {
      "content-type": 'Application/JSON; charset="UTF-8"',
    });
    expect(status).toBe(201);
    expect(body).toEqual({ by: null, body: { name: "a" } });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("is 204 without a body when there is nothing to say", async () => {
    const nothing = route({ auth: "visitor", handler: async () => undefined });
    expect(await call(nothing)).toMatchObject({ status: 204, body: null });
  });
});

describe("a refusal", () => {
  test("is a problem document under the request's id", async () => {
    const refuse = route({
      auth: "visitor",
      handler: () => Promise.reject(new Problem("in_use", "It is used")),
    });
    const { response, body } = await call(refuse);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(body).toEqual({
      type: "urn:posthorn:problem:in_use",
      title: "It is still in use",
      status: 409,
      code: "in_use",
      detail: "It is used",
      request_id: response.headers.get("x-request-id"),
    });
  });

  test("names every field at fault and what was expected", async () => {
    const { status, body } = await post('{"name":"","tags":["a",1],"nmae":"b"}');
    expect(status).toBe(422);
    expect(body.errors).toEqual([
      { field: "name", message: "is needed" },
      { field: "tags.1", message: "must be text" },
      { field: "nmae", message: "is not a known field" },
    ]);
  });

  test.each([
    ["no body", "", {}, 400, "malformed_json"],
    ["half a body", '{"name"', {}, 400, "malformed_json"],
    ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0x22]), {}, 400, "invalid_utf8"],
    [
      "a body of another type",
      "name=a",
      { "content-type": "application/x-www-form-urlencoded" },
      415,
      "unsupported_media_type",
    ],
    [
      "a body in another encoding",
      "{}",
      { "content-type": "application/json; charset=latin1" },
      415,
      "unsupported_media_type",
    ],
    ["a compressed body", "{}", { "content-encoding": "gzip" }, 415, "unsupported_media_type"],
    ["a body over the limit", `{"name":"${"a".repeat(65_536)}"}`, {}, 413, "too_large"],
    ["a body far over the limit", "{}", { "content-length": "99999999999" }, 413, "too_large"],
    ["30,000 levels", `${"[".repeat(30_000)}${"]".repeat(30_000)}`, {}, 422, "invalid_input"],
  ])("%s", async (_, body, headers, status, code) => {
    expect(await post(body, headers as Record<string, string>)).toMatchObject({ status, body: { code } });
  });

  test("a body that breaks off", async () => {
    const body = new ReadableStream({
      pull: (controller) => controller.error(new Error("the caller went away")),
    });
    const init = {
      method: "POST",
      body,
      duplex: "half",
      headers: { ...host, "content-type": "application/json" },
    };
    expect(await call(echo, init as RequestInit)).toMatchObject({
      status: 400,
      body: { code: "incomplete_body" },
    });
  });

  test("no more than the limit of an endless body is kept", async () => {
    let sent = 0;
    const chunk = new Uint8Array(1_048_576);
    const body = new ReadableStream({
      pull: (controller) => {
        sent += chunk.length;
        controller.enqueue(chunk);
      },
    });
    const init = {
      method: "POST",
      body,
      duplex: "half",
      headers: { ...host, "content-type": "application/json" },
    };
    expect(await call(echo, init as RequestInit)).toMatchObject({ status: 413 });
    expect(sent).toBeLessThan(80 * 1_048_576);
  });

  test("parameters that are unknown, doubled or wrong are named", async () => {
    const list = route({ auth: "visitor", query: pageQuery, handler: async ({ query }) => query });
    expect(await call(list, { path: "/?limit=7" })).toMatchObject({ status: 200, body: { limit: 7 } });
    for (const [path, field] of [
      ["/?limit=0", "limit"],
      ["/?limit=101", "limit"],
      ["/?limit=1.5", "limit"],
      ["/?limit=many", "limit"],
      ["/?limit=", "limit"],
      ["/?limit=1&limit=2", "limit"],
      ["/?offset=1", "offset"],
      ["/?toString=1", "toString"],
    ]) {
      expect(await call(list, { path: path as string }), path).toMatchObject({
        status: 422,
        body: { errors: [{ field }] },
      });
    }
  });

  test("a path that cannot be one of ours is a 404", async () => {
    const get = route({
      auth: "visitor",
      params: z.object({ id: z.uuid() }),
      handler: async ({ params }) => params,
    });
    expect(await call(get, { params: { id: "1" } })).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
    expect(await unknownRoute(new Request("http://localhost/api/v2"))).toMatchObject({ status: 404 });
  });
});

describe("a fault", () => {
  test.each([
    ["a fault of ours", new TypeError("x of undefined, and a payload"), 500, "internal_error"],
    ["a lost connection", new Error("Connection terminated unexpectedly"), 503, "database_unavailable"],
    [
      "a refused connection",
      Object.assign(new Error("x"), { code: "ECONNREFUSED" }),
      503,
      "database_unavailable",
    ],
    ["a shutdown", Object.assign(new Error("x"), { code: "57P01" }), 503, "database_unavailable"],
    ["a deadlock", Object.assign(new Error("x"), { code: "40P01" }), 503, "database_unavailable"],
    [
      "a statement that took too long",
      Object.assign(new Error("x"), { code: "57014" }),
      503,
      "database_timeout",
    ],
    [
      "an error as Drizzle wraps it",
      Object.assign(new Error("Failed query", { cause: Object.assign(new Error("x"), { code: "57014" }) }), {
        query: "select",
      }),
      503,
      "database_timeout",
    ],
  ])("%s says no more than it should", async (_, error, status, code) => {
    const fail = route({ auth: "visitor", handler: () => Promise.reject(error) });
    const { response, body } = await call(fail);
    expect(body).toMatchObject({ status, code, request_id: response.headers.get("x-request-id") });
    expect(JSON.stringify(body)).not.toContain("payload");
    expect(response.headers.has("retry-after")).toBe(status === 503);
  });
});

describe("the console's routes", () => {
  const read = route({ auth: "visitor", handler: async () => "ok" });

  test.each(["localhost", "localhost:3000", "LOCALHOST:3000", "127.0.0.1:3000", "127.1.2.3", "[::1]:3000"])(
    "answer under %s",
    async (name) => {
      expect(await call(read, { headers: { host: name } })).toMatchObject({ status: 200 });
    },
  );

  test.each([
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example:3000",
    "evil.example:3000",
    "localhost:3000@evil",
    "0.0.0.0",
    "192.168.0.1:3000",
    "",
  ])("refuse the host %j", async (name) => {
    expect(await call(read, { headers: { host: name } })).toMatchObject({
      status: 403,
      body: { code: "foreign_host" },
    });
  });

  test("refuse a change from another site, and take one from our own page or from no browser", async () => {
    const attempt = (headers: Record<string, string>) =>
      call(read, { method: "POST", headers: { ...host, ...headers } });
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "http://localhost:9999" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ]) {
      expect(await attempt(headers), JSON.stringify(headers)).toMatchObject({
        status: 403,
        body: { code: "foreign_origin" },
      });
    }
    for (const headers of [
      {},
      { origin: "http://localhost:3000", "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "none" },
    ]) {
      expect(await attempt(headers as Record<string, string>), JSON.stringify(headers)).toMatchObject({
        status: 200,
      });
    }
  });

  test("may be read from anywhere on this machine, since no other page can read the answer", async () => {
    expect(
      await read(
        new Request("http://localhost", { headers: { ...host, "sec-fetch-site": "cross-site" } }),
        context,
      ),
    ).toMatchObject({ status: 200 });
  });
});
