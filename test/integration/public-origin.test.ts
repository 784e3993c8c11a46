import { expect, test } from "vitest";
import { setUpApi } from "#test/helpers/api.ts";
import { createUserSession } from "#test/helpers/users.ts";
import { GET as overview } from "../../app/api/console/overview/route.ts";
import { POST as signIn } from "../../app/api/console/sign-in/route.ts";
import { POST as signOut } from "../../app/api/console/sign-out/route.ts";

// Read once in each process, so this file has one of its own.
process.env.POSTHORN_PUBLIC_URL = "https://posthorn.example";

const api = setUpApi();
const password = "three little horns";
const own = { host: "posthorn.example", origin: "https://posthorn.example", authorization: null };
const asSupport = async () => createUserSession(api.database.pool, { role: "support", password });

test("the public origin is answered only once there is an admin; then cookies are Secure", async () => {
  const { email, ...support } = await asSupport();
  const attempt = (headers: Record<string, string | null>) =>
    api.call(signIn, { as: { ...support, email }, body: { email, password }, headers });
  expect(await attempt(own)).toMatchObject({ status: 403, body: { code: "foreign_host" } });
  expect((await attempt({ ...own, host: "localhost:3000" })).status).toBe(204);

  await createUserSession(api.database.pool, { role: "admin" });
  const answer = await attempt(own);
  expect(answer.status).toBe(204);
  const [cookie = ""] = answer.headers.getSetCookie();
  expect(cookie).toMatch(/^__Secure-posthorn\.session_token=.*; Secure/);
  const session = { ...own, cookie: cookie.split(";")[0] ?? "" };
  expect((await api.call(overview, { headers: session })).status).toBe(200);

  // From a proxy that names us by an address of this machine, and from other origins.
  const leave = (headers: Record<string, string | null>) =>
    api.call(signOut, { method: "POST", headers: { ...session, ...headers } });
  for (const foreign of [
    { origin: "https://evil.example" },
    { origin: "http://posthorn.example" },
    { origin: "https://posthorn.example:8443" },
    { host: "evil.example" },
    { host: "posthorn.example:8443" },
    { origin: "http://localhost:3000" },
  ])
    expect((await leave(foreign)).status, JSON.stringify(foreign)).toBe(403);
  expect((await leave({ host: "127.0.0.1:3000" })).status).toBe(204);
  expect((await api.call(overview, { headers: session })).status).toBe(401);
});
