import { afterAll, beforeAll, expect, test } from "vitest";
import { readiness } from "#lib/api/readiness.ts";
import { closeAppDatabase } from "#lib/db/app.ts";
import { sessionCookie } from "#test/helpers/users.ts";
import { GET as overview } from "../../app/api/console/overview/route.ts";
import { POST as publish } from "../../app/api/v1/events/route.ts";

const context = { params: Promise.resolve({}) };

beforeAll(() => {
  // Nothing listens on port 1.
  process.env.DATABASE_URL = "postgres://nobody@127.0.0.1:1/nothing";
  process.env.POSTHORN_SECRET_KEY = Buffer.alloc(32).toString("base64");
});

afterAll(closeAppDatabase);

test.each([
  [
    "publishing",
    publish,
    new Request("http://localhost/api/v1/events", { method: "POST", headers: { authorization: "Bearer x" } }),
  ],
  [
    "a page's data",
    overview,
    new Request("http://localhost/api/console/overview", { headers: { host: "localhost" } }),
  ],
])("%s is told to come back", async (_, handler, request) => {
  request.headers.set("cookie", sessionCookie("somebodys-session"));
  const response = await handler(request, context);
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBe("2");
  expect(await response.json()).toMatchObject({
    code: "database_unavailable",
    request_id: expect.any(String),
  });
});

test("the process is not ready", async () => {
  const response = await readiness();
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ status: "database_unavailable" });
});
