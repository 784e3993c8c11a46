import { describe, expect, test } from "vitest";
import { setUpApi } from "#test/helpers/api.ts";
import { type Handler, handlersOf } from "#test/helpers/handlers.ts";

const files = import.meta.glob<Record<string, Handler>>("../../app/api/console/**/route.ts", { eager: true });
const consoleHandlers = handlersOf(files, "../../app/api/console");
const api = setUpApi();
const params = { id: "01890a5d-ac96-774b-bcce-b302099a8057", key: "nobody", name: "nothing" };

test("all of the console's routes are found", () => {
  expect(consoleHandlers.length).toBeGreaterThanOrEqual(17);
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

  const before = [
    "POST /sign-in",
    "POST /sign-in/code",
    "GET /sign-in/oidc",
    "POST /sign-in/oidc",
    "POST /setup",
    "POST /invitations/accept",
    "POST /forgotten-password",
    "POST /new-password",
    "POST /portal-enter",
  ];
  /** Of an affiliate's users alone, or of an identity provider that is not there. */
  const notForAdmins = ["GET /notices", "GET /notices/settings", "GET /sign-in/oidc"];

  test.each(consoleHandlers.filter(({ name }) => !before.includes(name)))(
    "$name needs a live session, whatever key comes with the call",
    async ({ handler, method }) => {
      const forged = "posthorn.session_token=token.c2lnbmF0dXJl";
      for (const cookie of [null, "", forged]) {
        const answer = await api.call(handler, { method, params, headers: { cookie } });
        expect(answer).toMatchObject({ status: 401, body: { code: "unauthorized" } });
      }
    },
  );

  const lists = consoleHandlers.filter(({ method, name }) => method === "GET" && !name.includes("["));

  test.each(lists.filter(({ name }) => !notForAdmins.includes(name)))(
    "$name answers without a key",
    async ({ handler }) => {
      const answer = await api.call(handler, { headers: { authorization: null } });
      expect(answer).toMatchObject({ status: 200 });
      expect(answer.headers.get("cache-control")).toBe("no-store");
    },
  );
});
