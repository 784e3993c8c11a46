import { afterAll, beforeAll, expect, test } from "vitest";
import { setUpApi } from "#test/helpers/api.ts";
import { whileAuditFails } from "#test/helpers/audit.ts";
import { createAffiliate } from "#test/helpers/factories.ts";
import { type Claims, startOidcProvider } from "#test/helpers/oidc-provider.ts";
import { createUserSession } from "#test/helpers/users.ts";
import { GET as overview } from "../../app/api/console/overview/route.ts";
import * as oidc from "../../app/api/console/sign-in/oidc/route.ts";

const provider = await startOidcProvider();
process.env.POSTHORN_OIDC_ISSUER = provider.issuer;
process.env.POSTHORN_OIDC_CLIENT_ID = provider.clientId;
process.env.POSTHORN_OIDC_CLIENT_SECRET = provider.clientSecret;
const api = setUpApi();
afterAll(provider.close);

const visitor = { cookie: null, authorization: null, "user-agent": "Test browser" };
const failed = "/sign-in?failed=single-sign-on";
const cookiesOf = (headers: Headers) =>
  headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");

async function begin(next?: string) {
  const { status, body, headers } = await api.call(oidc.POST, {
    body: next === undefined ? {} : { next },
    headers: visitor,
  });
  expect(status).toBe(200);
  return { url: body.url as string, cookie: cookiesOf(headers) };
}
const comeBack = (query: Record<string, string>, cookie: string | null) =>
  api.call(oidc.GET, { query, headers: { ...visitor, cookie } });

async function signIn(claims: Claims, next?: string) {
  const { url, cookie } = await begin(next);
  const answer = await comeBack(provider.signIn(url, claims), cookie);
  expect(answer.status).toBe(303);
  return {
    location: answer.headers.get("location"),
    statusThen: (await api.call(overview, { headers: { cookie: cookiesOf(answer.headers) } })).status,
  };
}
const refused = { location: failed, statusThen: 401 };
let subject = 0;
const claimsOf = (email: string, given: Record<string, unknown> = {}): Claims => ({
  sub: `subject-${++subject}`,
  email,
  email_verified: true,
  ...given,
});
const staff = (role: "support" | "ops" = "support") => createUserSession(api.database.pool, { role });

beforeAll(async () => {
  await createUserSession(api.database.pool, { role: "admin" });
});

test("one of the staff is signed in by their verified address, and comes to where they wanted to go", async () => {
  const { pool } = api.database;
  const user = await staff();
  const claims = claimsOf(user.email.toUpperCase());
  expect(await signIn(claims, "/deliveries?state=failed")).toEqual({
    location: "/deliveries?state=failed",
    statusThen: 200,
  });
  // Known by then, by more than the address.
  expect(await signIn(claims)).toEqual({ location: "/", statusThen: 200 });
  const { rows } = await pool.query(
    "select action, user_agent, after from posthorn.audit_log where object_id = $1 order by id",
    [user.id],
  );
  const entry = { action: "user.sign_in", user_agent: "Test browser", after: { single_sign_on: true } };
  const linked = { ...entry, action: "user.link_identity", after: null };
  expect(rows).toEqual([linked, entry, entry]);
  const kept = await pool.query(
    `select provider_id, access_token, refresh_token, id_token, password from posthorn.credentials where user_id = $1`,
    [user.id],
  );
  expect(kept.rows).toEqual([
    { provider_id: "oidc", access_token: null, refresh_token: null, id_token: null, password: null },
  ]);
});

test("nobody else gets in: unknown, unverified, deactivated, or an affiliate's user", async () => {
  const { pool } = api.database;
  const count = async () => (await pool.query("select count(*)::int from posthorn.users")).rows[0].count;
  const affiliate = await createAffiliate(pool);
  const theirs = await createUserSession(pool, { role: "affiliate", affiliateId: affiliate.id });
  const gone = await staff();
  await pool.query("update posthorn.users set deactivated_at = now() where id = $1", [gone.id]);
  const user = await staff();
  const before = await count();
  expect(await signIn(claimsOf("nobody@posthorn.example"))).toEqual(refused);
  expect(await signIn(claimsOf(theirs.email))).toEqual(refused);
  expect(await signIn(claimsOf(gone.email))).toEqual(refused);
  expect(await signIn(claimsOf(user.email, { email_verified: false }))).toEqual(refused);
  expect(await signIn(claimsOf(user.email, { email_verified: undefined }))).toEqual(refused);
  expect(await count()).toBe(before);
  const { rows } = await pool.query("select from posthorn.credentials where user_id = any($1)", [
    [theirs.id, gone.id, user.id],
  ]);
  expect(rows).toEqual([]);
});

test("what cannot be written down is not done: neither the link nor a session is left", async () => {
  const { pool } = api.database;
  const user = await staff();
  const claims = claimsOf(user.email);
  const left = async () => {
    const { rows } = await pool.query(
      `select (select count(*)::int from posthorn.credentials where user_id = $1) as links,
         (select count(*)::int from posthorn.sessions where user_id = $1) as sessions`,
      [user.id],
    );
    return rows[0];
  };
  const attempt = async () => {
    const { url, cookie } = await begin();
    return whileAuditFails(pool, () => comeBack(provider.signIn(url, claims), cookie));
  };
  expect((await attempt()).headers.get("location")).toBe(failed);
  expect(await left()).toEqual({ links: 0, sessions: 1 });
  expect((await signIn(claims)).statusThen).toBe(200);
  expect((await attempt()).status).toBe(500);
  expect(await left()).toEqual({ links: 1, sessions: 2 });
});

test("a link that was made lets nobody in who is of the staff no more", async () => {
  const { pool } = api.database;
  const user = await staff("ops");
  const claims = claimsOf(user.email);
  expect((await signIn(claims)).statusThen).toBe(200);
  const affiliate = await createAffiliate(pool);
  await pool.query("update posthorn.users set role = 'affiliate', affiliate_id = $2 where id = $1", [
    user.id,
    affiliate.id,
  ]);
  expect(await signIn(claims)).toEqual(refused);
});

test.each<[string, Record<string, unknown>]>([
  ["another issuer", { iss: "http://127.0.0.1:9" }],
  ["another audience", { aud: "somebody-else" }],
  ["another sign-in", { nonce: "another" }],
  ["yesterday", { exp: Math.floor(Date.now() / 1_000) - 3_600 }],
])("an ID token of %s is refused", async (_, given) => {
  const user = await staff();
  expect(await signIn(claimsOf(user.email, given))).toEqual(refused);
});

test("a way back that did not begin in this browser leads nowhere", async () => {
  const user = await staff();
  const { url, cookie } = await begin();
  const query = provider.signIn(url, claimsOf(user.email));
  for (const [given, from] of [
    [query, null],
    [{ ...query, state: "forged" }, cookie],
    [{ state: query.state ?? "" }, cookie],
    [{ error: "access_denied" }, cookie],
    [{}, null],
  ] as const) {
    const answer = await comeBack(given, from);
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe(failed);
    expect(answer.headers.getSetCookie().join()).not.toMatch(/session_token=[^;]/);
  }
});

test("it never leads to another site", async () => {
  const user = await staff();
  expect(await signIn(claimsOf(user.email), "https://evil.example/")).toEqual({
    location: "/",
    statusThen: 200,
  });
});
