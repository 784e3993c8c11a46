import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { createUser } from "#lib/accounts/create-user.ts";
import { ensureFirstAdmin } from "#lib/accounts/first-admin.ts";
import { systemActor } from "#lib/auth/actor.ts";
import { appDatabase, closeAppDatabase } from "#lib/db/app.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { createAffiliate } from "#test/helpers/factories.ts";
import { createUserSession, sessionCookie } from "#test/helpers/users.ts";
import { POST as changePassword } from "../../app/api/console/account/password/route.ts";
import * as account from "../../app/api/console/account/route.ts";
import * as sessions from "../../app/api/console/account/sessions/route.ts";
import { GET as overview } from "../../app/api/console/overview/route.ts";
import { POST as setUp } from "../../app/api/console/setup/route.ts";
import { POST as signIn } from "../../app/api/console/sign-in/route.ts";
import { POST as signOut } from "../../app/api/console/sign-out/route.ts";

const api = setUpApi();
const password = "three little horns";
const nobody = { cookie: null, authorization: null };
let address = 0;
/** One that nothing was counted for. */
const newAddress = () => `192.0.2.${++address}`;

const trySignIn = (email: string, given = password, from = newAddress()) =>
  api.call(signIn, {
    body: { email, password: given },
    headers: { ...nobody, "x-posthorn-address": from, "user-agent": "Test browser" },
  });
const cookieOf = (headers: Headers) =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
const statusWith = async (cookie: string) => (await api.call(overview, { headers: { cookie } })).status;
const auditOf = async (userId: string) => {
  const { rows } = await api.database.pool.query(
    "select action, actor_kind, actor_id, address, user_agent from posthorn.audit_log where object_id = $1 order by id",
    [userId],
  );
  return rows;
};

beforeAll(async () => {
  await createUserSession(api.database.pool, { role: "admin" });
});

describe("signing in", () => {
  test("gives a cookie that no script can read, and is in the audit log with where it came from", async () => {
    const user = await createUserSession(api.database.pool, { role: "support", password });
    const answer = await trySignIn(user.email.toUpperCase());
    expect(answer).toMatchObject({ status: 204, body: null });
    const [cookie = ""] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^posthorn\.session_token=/);
    for (const attribute of ["HttpOnly", "SameSite=Lax", "Path=/", `Max-Age=${7 * 86_400}`])
      expect(cookie).toContain(attribute);
    expect(cookie).not.toContain("Secure");
    expect(await statusWith(cookieOf(answer.headers))).toBe(200);
    expect(await auditOf(user.id)).toEqual([
      {
        action: "user.sign_in",
        actor_kind: "user",
        actor_id: user.id,
        address: `192.0.2.${address}`,
        user_agent: "Test browser",
      },
    ]);
  });

  test("is refused alike for an unknown address, a wrong password and whoever was deactivated", async () => {
    const user = await createUserSession(api.database.pool, { role: "ops", password });
    const gone = await createUserSession(api.database.pool, { role: "ops", password });
    const affiliate = await createAffiliate(api.database.pool);
    const left = await createUserSession(api.database.pool, {
      role: "affiliate",
      affiliateId: affiliate.id,
      password,
    });
    await api.database.pool.query("update posthorn.users set deactivated_at = now() where id = $1", [
      gone.id,
    ]);
    await api.database.pool.query("update posthorn.affiliates set deleted_at = now() where id = $1", [
      affiliate.id,
    ]);
    const answers = [
      await trySignIn("nobody@posthorn.example"),
      await trySignIn(user.email, "not the password"),
      await trySignIn(gone.email),
      await trySignIn(left.email),
    ];
    for (const { status, body, headers } of answers) {
      expect({ ...body, request_id: "" }).toEqual({ ...answers[0]?.body, request_id: "" });
      expect(status).toBe(401);
      expect(body.code).toBe("wrong_credentials");
      expect(headers.getSetCookie()).toEqual([]);
    }
    // Nor do they keep the sessions that they had.
    expect(await statusWith(gone.cookie)).toBe(401);
    expect(await statusWith(left.cookie)).toBe(401);
  });

  test.each([
    [{}, ["email", "password"]],
    [{ email: "no address", password: "x" }, ["email"]],
    [{ email: "a@b.example", password: "x".repeat(201) }, ["password"]],
    [{ email: "a@b.example", password: "x", role: "admin" }, ["role"]],
  ])("%j names the fields at fault", async (body, fields) => {
    const answer = await api.call(signIn, { body, headers: nobody });
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
  });
});

describe("too many tries", () => {
  afterEach(closeAppDatabase);

  test("for one account from one address are refused, whichever process is asked, and end with their window", async () => {
    const user = await createUserSession(api.database.pool, { role: "support", password });
    const from = newAddress();
    for (let n = 0; n < 10; n++) {
      // A new pool and a new better-auth, as another process has them.
      if (n === 5) await closeAppDatabase();
      expect((await trySignIn(user.email, "not the password", from)).status).toBe(401);
    }
    const refused = await trySignIn(user.email, password, from);
    expect(refused).toMatchObject({ status: 429, body: { code: "too_many_requests" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(800);
    expect((await trySignIn(user.email)).status).toBe(204);
    await api.database.pool.query("update posthorn.sign_in_tries set ends_at = now() - interval '1 second'");
    expect((await trySignIn(user.email, password, from)).status).toBe(204);
  });

  test("at once are counted before they are judged", async () => {
    const from = newAddress();
    const answers = await Promise.all(
      Array.from({ length: 14 }, () => trySignIn("many@posthorn.example", "not the password", from)),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(4);
  });

  test("from one address are refused for every account; those that were right do not count", async () => {
    const user = await createUserSession(api.database.pool, { role: "support", password });
    const from = newAddress();
    expect((await trySignIn(user.email, password, from)).status).toBe(204);
    await api.database.pool.query("update posthorn.sign_in_tries set tries = 99 where tries = 0");
    expect((await trySignIn("a@posthorn.example", "not the password", from)).status).toBe(401);
    expect((await trySignIn(user.email, password, from)).status).toBe(429);
  });
});

describe("too many tries from many addresses", () => {
  /** As if so many had failed, each from an address of its own. */
  const failFromMany = async (email: string, tries: number) => {
    await trySignIn(email, "not the password");
    await api.database.pool.query(
      `update posthorn.sign_in_tries set tries = $1
       where tries = 1 and ends_at > now() + interval '59 minutes'`,
      [tries],
    );
  };

  test("are refused for the account alone, for an hour at most", async () => {
    const { pool } = api.database;
    const [user, other] = [
      await createUserSession(pool, { role: "support", password }),
      await createUserSession(pool, { role: "support", password }),
    ];
    await failFromMany(user.email, 99);
    // Right ones count for nothing.
    expect((await trySignIn(user.email)).status).toBe(204);
    expect((await trySignIn(user.email, "not the password")).status).toBe(401);
    const refused = await trySignIn(user.email);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(3_500);
    expect((await trySignIn(other.email)).status).toBe(204);
    // What is tried meanwhile does not prolong it.
    await pool.query("update posthorn.sign_in_tries set ends_at = ends_at - interval '59 minutes'");
    expect(Number((await trySignIn(user.email)).headers.get("retry-after"))).toBeLessThanOrEqual(60);
    await pool.query("update posthorn.sign_in_tries set ends_at = ends_at - interval '1 minute'");
    expect((await trySignIn(user.email)).status).toBe(204);
  });

  test("do not keep the owner out where they are signed in", async () => {
    const user = await createUserSession(api.database.pool, { role: "support", password });
    const home = newAddress();
    expect((await trySignIn(user.email, password, home)).status).toBe(204);
    await failFromMany(user.email, 100);
    expect((await trySignIn(user.email)).status).toBe(429);
    expect((await trySignIn(user.email, password, home)).status).toBe(204);
    // Nor does the owner, who is not counted there, make room for those who are.
    for (let n = 0; n < 3; n++) expect((await trySignIn(user.email, password, home)).status).toBe(204);
    expect((await trySignIn(user.email)).status).toBe(429);
    const { pool } = api.database;
    await pool.query("update posthorn.sessions set expires_at = now() where user_id = $1", [user.id]);
    expect((await trySignIn(user.email, password, home)).status).toBe(429);
  });

  test("of IPv6 count as one, by their /64", async () => {
    const user = await createUserSession(api.database.pool, { role: "support", password });
    for (let n = 0; n < 10; n++)
      expect((await trySignIn(user.email, "not the password", `2001:db8:0:7::${n}`)).status).toBe(401);
    expect((await trySignIn(user.email, password, "2001:db8:0:7:ffff::1")).status).toBe(429);
    expect((await trySignIn(user.email, password, "2001:db8:0:8::1")).status).toBe(204);
  });
});

describe("a session", () => {
  test("ends by itself, and is nobody's with another signature or token", async () => {
    const { pool } = api.database;
    const user = await createUserSession(pool, { role: "support" });
    expect(await statusWith(user.cookie)).toBe(200);
    const [name, value = ""] = user.cookie.split("=");
    const [token, signature] = decodeURIComponent(value).split(".");
    for (const tampered of [
      `${token}.${signature?.slice(0, -3)}A==`,
      `${token}x.${signature}`,
      `${token}.`,
      `.${signature}`,
      token,
      "%",
      "%ff",
    ]) {
      expect(await statusWith(`${name}=${tampered}`), tampered).toBe(401);
    }
    expect(await statusWith(sessionCookie("a-token-that-nobody-has"))).toBe(401);
    const old = await createUserSession(pool, { role: "support", expiresAt: "now()" });
    expect(await statusWith(old.cookie)).toBe(401);
  });

  test("is ended by signing out, and others by signing out everywhere", async () => {
    const user = await createUserSession(api.database.pool, { role: "ops", password });
    const second = cookieOf((await trySignIn(user.email)).headers);
    const third = cookieOf((await trySignIn(user.email)).headers);
    const list = await api.call(sessions.GET, { headers: { cookie: second } });
    expect(list.body.data).toHaveLength(3);
    expect(list.body.data.filter(({ current }: { current: boolean }) => current)).toHaveLength(1);
    expect(JSON.stringify(list.body)).not.toContain("token");

    const out = await api.call(signOut, { method: "POST", headers: { cookie: second } });
    expect(out.status).toBe(204);
    expect(out.headers.getSetCookie()[0]).toMatch(/^posthorn\.session_token=;.*Max-Age=0/);
    expect(await statusWith(second)).toBe(401);
    expect(await statusWith(third)).toBe(200);
    expect((await api.call(sessions.DELETE, { method: "DELETE", headers: { cookie: third } })).status).toBe(
      204,
    );
    expect(await statusWith(third)).toBe(401);
    expect(await statusWith(user.cookie)).toBe(401);
    expect((await auditOf(user.id)).map(({ action }) => action)).toEqual([
      "user.sign_in",
      "user.sign_in",
      "user.sign_out",
      "user.sign_out_everywhere",
    ]);
  });

  test("shows one's own account, whose name one may change", async () => {
    const user = await createUserSession(api.database.pool, { role: "support" });
    expect((await api.call(account.GET, { as: user })).body).toEqual({
      id: user.id,
      name: user.name,
      email: user.email,
      role: "support",
      affiliate: null,
      two_factor: false,
    });
    const edited = await api.call(account.PATCH, { method: "PATCH", as: user, body: { name: " Sam " } });
    expect(edited).toMatchObject({ status: 200, body: { name: "Sam" } });
    const more = await api.call(account.PATCH, {
      method: "PATCH",
      as: user,
      body: { name: "x", role: "admin" },
    });
    expect(more.status).toBe(422);
  });
});

describe("changing the password", () => {
  const change = (cookie: string, body: { current: string; password: string }) =>
    api.call(changePassword, { body, headers: { cookie, "x-posthorn-address": newAddress() } });

  test("takes the current one, and ends every other session", async () => {
    const user = await createUserSession(api.database.pool, { role: "support", password });
    const other = cookieOf((await trySignIn(user.email)).headers);
    const next = "four little horns";
    expect(await change(user.cookie, { current: "not the password", password: next })).toMatchObject({
      status: 422,
      body: { errors: [{ field: "current", message: "is not your current password" }] },
    });
    expect(await statusWith(other)).toBe(200);
    expect((await change(user.cookie, { current: password, password: next })).status).toBe(204);
    expect(await statusWith(user.cookie)).toBe(200);
    expect(await statusWith(other)).toBe(401);
    expect((await trySignIn(user.email)).status).toBe(401);
    expect((await trySignIn(user.email, next)).status).toBe(204);
  });

  test.each(["short", "password1234", "qwertyuiop123", "aaaaaaaaaaaaaaaa"])("refuses %j", async (weak) => {
    const user = await createUserSession(api.database.pool, { role: "support", password });
    const answer = await change(user.cookie, { current: password, password: weak });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ field: "password" }] } });
    expect(JSON.stringify(answer.body)).not.toContain(weak);
  });
});

describe("the set-up link", () => {
  const made = { name: "First", email: "first@posthorn.example", password };
  const take = (token: string) => api.call(setUp, { body: { ...made, token }, headers: nobody });
  const makeLink = async () => {
    const link = await ensureFirstAdmin(appDatabase(), { firstAdmin: undefined });
    if (!link) throw new Error("there is an admin");
    return link.setupToken;
  };
  const noAdmins = () =>
    api.database.pool.query("update posthorn.users set role = 'ops' where role = 'admin'");

  test("makes the first admin once, who is then signed in", async () => {
    await noAdmins();
    const token = await makeLink();
    const answers = await Promise.all([take(token), take(token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 410]);
    const cookie = cookieOf(answers.find(({ status }) => status === 204)?.headers ?? new Headers());
    expect((await api.call(account.GET, { headers: { cookie } })).body).toMatchObject({
      role: "admin",
      email: made.email,
    });
    expect(await take(token)).toMatchObject({ status: 410, body: { code: "link_not_valid" } });
    expect(await ensureFirstAdmin(appDatabase(), { firstAdmin: undefined })).toBeNull();
    const { rows } = await api.database.pool.query("select from posthorn.setup_links");
    expect(rows).toEqual([]);
  });

  test("is worth nothing once it has expired, or a later start has made another", async () => {
    await noAdmins();
    await api.database.pool.query("delete from posthorn.users where email = $1", [made.email]);
    const first = await makeLink();
    const second = await makeLink();
    expect((await take(first)).status).toBe(410);
    await api.database.pool.query("update posthorn.setup_links set expires_at = now()");
    expect((await take(second)).status).toBe(410);
    expect((await take("x".repeat(43))).status).toBe(410);
    expect((await take("not a token")).status).toBe(422);
  });

  test("is not needed where the environment names the first admin", async () => {
    await noAdmins();
    const firstAdmin = { email: "env@posthorn.example", password };
    expect(await ensureFirstAdmin(appDatabase(), { firstAdmin })).toBeNull();
    expect((await trySignIn(firstAdmin.email)).status).toBe(204);
    // Later starts change nothing.
    expect(
      await ensureFirstAdmin(appDatabase(), { firstAdmin: { ...firstAdmin, password: "other password" } }),
    ).toBeNull();
    expect((await trySignIn(firstAdmin.email)).status).toBe(204);
  });
});

test("an e-mail address is taken once, in whatever case it is written", async () => {
  const user = { name: "A", email: "twice@posthorn.example", password, affiliateId: null };
  const { orm } = appDatabase();
  await createUser(orm, systemActor, { ...user, role: "support" });
  await expect(createUser(orm, systemActor, { ...user, role: "ops" })).rejects.toMatchObject({
    code: "already_exists",
  });
});
