import { expect, test } from "vitest";
import { setUpApi } from "#test/helpers/api.ts";
import { createAffiliate } from "#test/helpers/factories.ts";
import { createUserSession } from "#test/helpers/users.ts";
import { DELETE as revoke } from "../../app/api/console/invitations/[id]/route.ts";
import { POST as accept } from "../../app/api/console/invitations/accept/route.ts";
import * as invitations from "../../app/api/console/invitations/route.ts";
import { POST as signIn } from "../../app/api/console/sign-in/route.ts";

const api = setUpApi();
const password = "three little horns";
let made = 0;
const newEmail = () => `invited-${++made}@posthorn.example`;
/** An address that nothing was counted for. */
const visitor = () => ({ cookie: null, authorization: null, "x-posthorn-address": `192.0.2.${++made}` });

async function invite(given: Record<string, unknown> = {}) {
  const answer = await api.call(invitations.POST, { body: { email: newEmail(), role: "support", ...given } });
  expect(answer.status).toBe(201);
  const token = new URL(answer.body.url).searchParams.get("token") ?? "";
  return { ...answer.body, token };
}
const acceptWith = (token: string, headers = visitor(), given = password) =>
  api.call(accept, { body: { token, name: "Somebody New", password: given }, headers });
const signInAs = (email: string, given = password) =>
  api.call(signIn, { body: { email, password: given }, headers: visitor() });
const userOf = async (email: string) =>
  (
    await api.database.pool.query("select name, role, affiliate_id from posthorn.users where email = $1", [
      email,
    ])
  ).rows[0];
const auditOf = async (id: string) =>
  (
    await api.database.pool.query(
      "select action, actor_name, after from posthorn.audit_log where object_id = $1 order by id",
      [id],
    )
  ).rows;

test("lets one person in, with its role, once, and is in the audit log without its token", async () => {
  const { id, email, token, url, status } = await invite({ email: "Invited@Posthorn.Example", role: "ops" });
  expect({ email, status }).toEqual({ email: "invited@posthorn.example", status: "open" });
  expect(url).toMatch(/\/invitation\?token=[A-Za-z0-9_-]{43}$/);
  const answer = await acceptWith(token);
  expect(answer).toMatchObject({ status: 204, body: null });
  expect(await userOf(email)).toEqual({ name: "Somebody New", role: "ops", affiliate_id: null });
  expect((await signInAs(email)).status).toBe(204);
  expect(await acceptWith(token)).toMatchObject({
    status: 410,
    body: { code: "link_not_valid", detail: expect.stringContaining("was used already") },
  });
  const entries = await auditOf(id);
  expect(entries.map(({ action, actor_name }) => [action, actor_name])).toEqual([
    ["invitation.create", expect.stringMatching(/^admin /)],
    ["invitation.accept", "Invitation"],
  ]);
  const { rows } = await api.database.pool.query("select i::text from posthorn.invitations i");
  expect(JSON.stringify([entries, rows])).not.toContain(token);
  const page = await api.call(invitations.GET, { query: { q: "INVITED@", status: "accepted" } });
  expect(page.body.data.map((one: { id: string }) => one.id)).toEqual([id]);
});

test("an affiliate's user belongs to that affiliate", async () => {
  const affiliate = await createAffiliate(api.database.pool);
  const { email, token } = await invite({ role: "affiliate", affiliate: affiliate.key });
  expect((await acceptWith(token)).status).toBe(204);
  expect(await userOf(email)).toMatchObject({ role: "affiliate", affiliate_id: affiliate.id });
});

test.each<[string, object, string[]]>([
  ["no affiliate for the role affiliate", { role: "affiliate" }, ["affiliate"]],
  ["an affiliate for another role", { role: "ops", affiliate: "acme" }, ["affiliate"]],
  ["an affiliate that there is not", { role: "affiliate", affiliate: "nobody-at-all" }, ["affiliate"]],
  ["no address", { email: "nobody" }, ["email"]],
  ["a role that there is not", { role: "owner" }, ["role"]],
])("is not made with %s", async (_, given, fields) => {
  const { status, body } = await api.call(invitations.POST, {
    body: { email: newEmail(), role: "support", ...given },
  });
  expect(status).toBe(422);
  expect(body.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
});

test("for the address of a user is answered as any other, made and accepted, and changes nothing for them", async () => {
  const user = await createUserSession(api.database.pool, { role: "support", password });
  const taken = await invite({ email: user.email, role: "admin" });
  const free = await invite({ role: "admin" });
  const shape = (one: object) => Object.keys(one).sort();
  expect(shape(taken)).toEqual(shape(free));
  const [onTaken, onFree] = [
    await acceptWith(taken.token, visitor(), "another password"),
    await acceptWith(free.token, visitor(), "another password"),
  ];
  const alike = ({ status, body, headers }: typeof onTaken) => ({
    status,
    body,
    headers: [...headers.keys()],
  });
  expect(alike(onTaken)).toEqual(alike(onFree));
  expect(await userOf(user.email)).toMatchObject({ name: user.name, role: "support" });
  expect((await signInAs(user.email, "another password")).status).toBe(401);
  expect((await signInAs(user.email)).status).toBe(204);
  expect((await auditOf(taken.id)).at(-1)).toMatchObject({ after: { user_created: false } });
});

test("ends when it is revoked, replaced, expired, or its affiliate deleted, and says which", async () => {
  const { pool } = api.database;
  const refused = async (token: string, reason: string) =>
    expect(await acceptWith(token)).toMatchObject({
      status: 410,
      body: { detail: expect.stringContaining(reason) },
    });
  const revoked = await invite();
  const call = { method: "DELETE", params: { id: revoked.id } } as const;
  expect((await api.call(revoke, call)).status).toBe(204);
  expect((await api.call(revoke, call)).status).toBe(204);
  await refused(revoked.token, "revoked");
  expect((await auditOf(revoked.id)).map(({ action }) => action)).toEqual([
    "invitation.create",
    "invitation.revoke",
  ]);

  const first = await invite();
  const second = await invite({ email: first.email, role: "ops" });
  await refused(first.token, "replaced by a newer one");
  expect((await acceptWith(second.token)).status).toBe(204);

  const old = await invite();
  await pool.query("update posthorn.invitations set expires_at = now() where id = $1", [old.id]);
  await refused(old.token, "expired");

  const affiliate = await createAffiliate(pool);
  const orphan = await invite({ role: "affiliate", affiliate: affiliate.key });
  await pool.query("update posthorn.affiliates set deleted_at = now() where id = $1", [affiliate.id]);
  await refused(orphan.token, "revoked");
  await refused("x".repeat(43), "no such invitation");
});

test("is not used up by a password that is too easy", async () => {
  const { token, email } = await invite();
  for (const easy of ["password1234", email])
    expect(await acceptWith(token, visitor(), easy)).toMatchObject({
      status: 422,
      body: { errors: [{ field: "password" }] },
    });
  expect((await acceptWith(token)).status).toBe(204);
});

test("used many times at once makes one user", async () => {
  const { token, email } = await invite();
  const answers = await Promise.all(Array.from({ length: 6 }, () => acceptWith(token)));
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 410, 410, 410, 410, 410]);
  expect(await userOf(email)).toBeDefined();
});

test("can be made and used so often, and then after a while", async () => {
  const headers = visitor();
  const uses = [];
  for (let n = 0; n < 21; n++) uses.push(await acceptWith("y".repeat(43), headers));
  expect(uses.slice(0, 20).every(({ status }) => status === 410)).toBe(true);
  expect(uses[20]?.status).toBe(429);
  expect(Number(uses[20]?.headers.get("retry-after"))).toBeGreaterThan(0);

  const admin = await createUserSession(api.database.pool, { role: "admin" });
  const body = () => ({ email: newEmail(), role: "ops" });
  for (let n = 0; n < 50; n++)
    expect((await api.call(invitations.POST, { as: admin, body: body() })).status).toBe(201);
  const late = await api.call(invitations.POST, { as: admin, body: body() });
  expect(late).toMatchObject({ status: 429, body: { code: "too_many_requests" } });
  expect(Number(late.headers.get("retry-after"))).toBeGreaterThan(0);
});
