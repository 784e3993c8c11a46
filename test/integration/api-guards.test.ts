import { describe, expect, test } from "vitest";
import type { RouteContext } from "#lib/api/route.ts";
import { setUpApi } from "#test/helpers/api.ts";

type Handler = (request: Request, context: RouteContext) => Promise<Response>;

/** Every handler of every route file, so that a new route cannot forget its guard. */
function handlersOf(files: Record<string, Record<string, Handler>>) {
  return Object.entries(files).flatMap(([file, methods]) =>
    Object.entries(methods).map(([method, handler]) => ({
      name: `${method} ${file.replace("../../app", "").replace("/route.ts", "")}`,
      method: method as "GET" | "POST" | "PATCH" | "DELETE",
      handler,
    })),
  );
}

const publicHandlers = handlersOf(import.meta.glob("../../app/api/v1/**/route.ts", { eager: true }));
const consoleHandlers = handlersOf(import.meta.glob("../../app/api/console/**/route.ts", { eager: true }));
const api = setUpApi();
const params = { id: "01890a5d-ac96-774b-bcce-b302099a8057", key: "nobody", name: "nothing" };

test("all routes are found", () => {
  expect(publicHandlers.length).toBeGreaterThanOrEqual(23);
  expect(consoleHandlers.length).toBeGreaterThanOrEqual(17);
});

describe("the public API", () => {
  test.each(publicHandlers)("$name needs a key", async ({ handler, method }) => {
    for (const authorization of [null, "Bearer phk_wrong"]) {
      const answer = await api.call(handler, { method, params, headers: { authorization } });
      expect(answer).toMatchObject({ status: 401, body: { code: "unauthorized" } });
    }
  });
});

describe("the console's routes", () => {
  test.each(consoleHandlers)("$name refuses a foreign host", async ({ handler, method }) => {
    const answer = await api.call(handler, { method, params, headers: { host: "evil.example" } });
    expect(answer).toMatchObject({ status: 403, body: { code: "foreign_host" } });
  });

  test.each(consoleHandlers.filter(({ method }) => method !== "GET"))(
    "$name refuses a page of another site",
    async ({ handler, method }) => {
      const answer = await api.call(handler, {
        method,
        params,
        headers: { origin: "http://127.0.0.1:8000" },
      });
      expect(answer).toMatchObject({ status: 403, body: { code: "foreign_origin" } });
    },
  );

  test.each(consoleHandlers.filter(({ method, name }) => method === "GET" && !name.includes("[")))(
    "$name answers without a key",
    async ({ handler, name }) => {
      const query = name.endsWith("/find") ? { q: "x" } : {};
      const answer = await api.call(handler, { headers: { authorization: null }, query });
      expect(answer).toMatchObject({ status: 200 });
      expect(answer.headers.get("cache-control")).toBe("no-store");
    },
  );
});
