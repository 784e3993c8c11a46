import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { route } from "#lib/api/route.ts";

let lines: string[] = [];

beforeEach(() => {
  process.env.POSTHORN_LOG_LEVEL = "info";
  lines = [];
  // pino notices that standard output was replaced, and writes there.
  vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    lines.push(String(chunk));
    return true;
  });
});

afterEach(() => vi.restoreAllMocks());

const call = (handler: ReturnType<typeof route>, body: unknown) =>
  handler(
    new Request("http://localhost/api/console/x?q=canary-query", {
      method: "POST",
      headers: { host: "localhost", "content-type": "application/json", authorization: "Bearer canary-key" },
      body: JSON.stringify(body),
    }),
    { params: Promise.resolve({}) },
  );

test("a fault is logged under the request's id, without query, key, body or a statement's values", async () => {
  const cause = Object.assign(new Error("invalid input: canary-value"), {
    code: "22P02",
    severity: "ERROR",
    detail: "Key (name)=(canary-detail)",
  });
  const wrapped = Object.assign(new Error("Failed query: insert params: canary-param", { cause }), {
    query: "insert",
  });
  const fail = route({ auth: "visitor", body: z.unknown(), handler: () => Promise.reject(wrapped) });
  const response = await call(fail, { secret: "canary-body" });
  expect(response.status).toBe(500);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] as string)).toMatchObject({
    level: "error",
    request_id: response.headers.get("x-request-id"),
    method: "POST",
    path: "/api/console/x",
    error: { type: "DatabaseError", code: "22P02" },
  });
  expect(lines.join("") + (await response.text())).not.toContain("canary");
});

test("a refusal is no fault and is not logged", async () => {
  const refuse = route({ auth: "visitor", body: z.strictObject({}), handler: async () => "ok" });
  expect((await call(refuse, { secret: "canary" })).status).toBe(422);
  expect(lines).toEqual([]);
});
