import { afterAll, beforeAll } from "vitest";
import type { RouteContext } from "#lib/api/route.ts";
import { ensureFirstApiKey } from "#lib/auth/api-keys.ts";
import { closeAppDatabase } from "#lib/db/app.ts";
import { closeLiveTests } from "#lib/endpoint-tests/live.ts";
import type { Role } from "#lib/vocabulary.ts";
import { testSecretKey } from "./factories.ts";
import { createTestDatabase, type TestDatabase } from "./postgres.ts";
import { createUserSession, type TestUser } from "./users.ts";

type Handler = (request: Request, context: RouteContext) => Promise<Response>;

type Call = {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  /** Of the path's dynamic parts. */
  params?: Record<string, string>;
  query?: Record<string, string>;
  /** Text and bytes go as they are, everything else as JSON. */
  body?: unknown;
  headers?: Record<string, string | null>;
  /** Who is signed in at the console: an admin unless given. */
  as?: StaffRole | TestUser;
};
type StaffRole = Exclude<Role, "affiliate">;

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the test expects of it.
export type Answer = { status: number; body: any; headers: Headers };

export type Api = {
  database: TestDatabase;
  key: string;
  /**
   * Calls a route handler as Next.js would, with a request that has the host of a local caller, the key, which the public
   * API asks for, and the cookie of a user, which the console's routes ask for.
   */
  call: (handler: Handler, call?: Call) => Promise<Answer>;
};

/**
 * The API on a database of this file's own, with one API key; everything is closed after the file. `makeDatabase`:
 * for one that is not a copy of the template.
 */
export function setUpApi(makeDatabase: () => Promise<TestDatabase> = createTestDatabase): Api {
  const staff = new Map<StaffRole, Promise<TestUser>>();
  const userOf = (as: StaffRole | TestUser): Promise<TestUser> | TestUser => {
    if (typeof as === "object") return as;
    const user = staff.get(as) ?? createUserSession((api as Api).database.pool, { role: as });
    staff.set(as, user);
    return user;
  };
  const api: Partial<Api> = {
    call: async (handler, call = {}) => {
      const { cookie } = await userOf(call.as ?? "admin");
      return callHandler(handler, { authorization: `Bearer ${api.key}`, cookie }, call);
    },
  };
  beforeAll(async () => {
    api.database = await makeDatabase();
    process.env.DATABASE_URL = api.database.url;
    process.env.POSTHORN_SECRET_KEY = testSecretKey.toString("base64");
    process.env.POSTHORN_ALLOWED_SUBNETS = "127.0.0.0/8";
    process.env.POSTHORN_ALLOW_HTTP = "true";
    const made = await ensureFirstApiKey(api.database.pool, {});
    if (!made) throw new Error("the template holds a key already");
    api.key = made.key;
  });
  afterAll(() => Promise.all([closeAppDatabase(), closeLiveTests()]));
  return api as Api;
}

async function callHandler(
  handler: Handler,
  caller: { authorization: string; cookie: string },
  call: Call,
): Promise<Answer> {
  const { method = call.body === undefined ? "GET" : "POST", params = {}, query, body, headers = {} } = call;
  const isRaw = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
  const all = {
    host: "127.0.0.1:3000",
    ...caller,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...headers,
  };
  const request = new Request(`http://127.0.0.1:3000/?${new URLSearchParams(query)}`, {
    method,
    headers: Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null),
    ...(body === undefined
      ? {}
      : { body: (isRaw ? body : JSON.stringify(body)) as BodyInit, duplex: "half" }),
  });
  const response = await handler(request, { params: Promise.resolve(params) });
  const text = await response.text();
  const isJson = /[/+]json$/.test(response.headers.get("content-type") ?? "");
  const value = text === "" ? null : isJson ? JSON.parse(text) : text;
  return { status: response.status, body: value, headers: response.headers };
}
