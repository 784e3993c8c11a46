import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { setUpApi } from "#test/helpers/api.ts";
import { createAffiliate } from "#test/helpers/factories.ts";
import { startMailServer, type TestMailServer } from "#test/helpers/smtp.ts";
import { codeOf } from "#test/helpers/totp.ts";
import { createUserSession, type TestUser } from "#test/helpers/users.ts";
import { POST as changePassword } from "../../app/api/console/account/password/route.ts";
import * as account from "../../app/api/console/account/route.ts";
import { POST as enableTwoFactor } from "../../app/api/console/account/two-factor/enable/route.ts";
import { POST as beginTwoFactor } from "../../app/api/console/account/two-factor/route.ts";
import { POST as ask } from "../../app/api/console/forgotten-password/route.ts";
import { POST as setPassword } from "../../app/api/console/new-password/route.ts";
import { POST as signIn } from "../../app/api/console/sign-in/route.ts";
import { POST as deactivate } from "../../app/api/console/users/[id]/deactivate/route.ts";
import { POST as makeLink } from "../../app/api/console/users/[id]/password-link/route.ts";
import { POST as reactivate } from "../../app/api/console/users/[id]/reactivate/route.ts";

let mail: TestMailServer;
const api = setUpApi();
const [old, next] = ["three little horns", "four little horns"];
let made = 0;

beforeAll(async () => {
  mail = await startMailServer();
  process.env.POSTHORN_SMTP_URL = mail.url;
  process.env.POSTHORN_MAIL_FROM = "posthorn@posthorn.example";
});
beforeEach(() => mail.mails.splice(0));
afterAll(() => mail.close());

/** An address that nothing was counted for. */
const visitor = () => ({
  cookie: null,
  authorization: null,
  "x-posthorn-address": `192.0.2.${++made % 250}`,
});
const newUser = (role: TestUser["role"] = "support") =>
  createUserSession(api.database.pool, { role, password: old });
const tokenIn = (text: string) => /\/new-password\?token=([A-Za-z0-9_-]{43})\b/.exec(text)?.[1] ?? "";
const linkFor = async ({ id }: TestUser) => {
  const answer = await api.call(makeLink, { method: "POST", params: { id } });
  expect(answer.status).toBe(201);
  return tokenIn(answer.body.url);
};
const use = (token: string, password = next, headers = visitor()) =>
  api.call(setPassword, { body: { token, password }, headers });
const signInAs = (email: string, password: string, headers = visitor()) =>
  api.call(signIn, { body: { email, password }, headers });
const askFor = (email: string, headers = visitor()) => api.call(ask, { body: { email }, headers });
const auditOf = async (id: string) =>
  (
    await api.database.pool.query(
      "select action, actor_name, after from posthorn.audit_log where object_id = $1 order by id",
      [id],
    )
  ).rows;
/** Everything that a link could change of somebody. */
const stateOf = async (id: string) =>
  (
    await api.database.pool.query(
      `select (select json_agg(c order by c.id) from posthorn.credentials c where user_id = $1) as credentials,
        (select json_agg(s.id order by s.id) from posthorn.sessions s where user_id = $1) as sessions`,
      [id],
    )
  ).rows;
const refused = async (token: string, reason: string) =>
  expect(await use(token)).toMatchObject({
    status: 410,
    body: { code: "link_not_valid", detail: expect.stringContaining(reason) },
  });

test("a link of an admin's sets a new password once, ends all sessions, and is in the audit log without its token", async () => {
  const user = await newUser();
  const token = await linkFor(user);
  expect(await use(token)).toMatchObject({ status: 204, body: null });
  expect((await api.call(account.GET, { as: user })).status).toBe(401);
  expect((await signInAs(user.email, old)).status).toBe(401);
  expect((await signInAs(user.email, next)).status).toBe(204);
  const entries = await auditOf(user.id);
  expect(entries.slice(0, 2)).toEqual([
    {
      action: "user.make_password_link",
      actor_name: expect.stringMatching(/^admin /),
      after: { valid_hours: 24 },
    },
    { action: "user.use_password_link", actor_name: "Password link", after: { sessions_ended: 1 } },
  ]);
  const { rows } = await api.database.pool.query("select l::text from posthorn.password_links l");
  expect(JSON.stringify([entries, rows])).not.toContain(token);
});

test("a link that was used, replaced, has expired or never was says so, and changes nothing", async () => {
  const user = await newUser();
  const first = await linkFor(user);
  const second = await linkFor(user);
  const before = await stateOf(user.id);
  await refused(first, "replaced by a newer one");
  await refused("x".repeat(43), "no such link");
  for (const malformed of ["", "x", `${second}x`, "é".repeat(43)])
    expect(await use(malformed)).toMatchObject({ status: 422, body: { errors: [{ field: "token" }] } });
  for (const easy of ["password1234", "short", user.email])
    expect(await use(second, easy)).toMatchObject({ status: 422, body: { errors: [{ field: "password" }] } });
  expect(await stateOf(user.id)).toEqual(before);
  expect((await use(second)).status).toBe(204);
  await refused(second, "was used already");

  const late = await linkFor(user);
  await api.database.pool.query(
    "update posthorn.password_links set expires_at = now() where used_at is null and ended_at is null",
  );
  const then = await stateOf(user.id);
  await refused(late, "expired");
  expect(await stateOf(user.id)).toEqual(then);
});

test("a link ends with a change of the password, with deactivation, and with its affiliate", async () => {
  const { pool } = api.database;
  const changed = await newUser();
  const token = await linkFor(changed);
  await api.call(changePassword, { as: changed, body: { current: old, password: next } });
  await refused(token, "changed since");

  const away = await newUser();
  const lost = await linkFor(away);
  await api.call(deactivate, { method: "POST", params: { id: away.id } });
  expect(await api.call(makeLink, { method: "POST", params: { id: away.id } })).toMatchObject({
    status: 409,
    body: { code: "user_deactivated" },
  });
  await api.call(reactivate, { method: "POST", params: { id: away.id } });
  await refused(lost, "changed since");

  const affiliate = await createAffiliate(pool);
  const theirs = await createUserSession(pool, { role: "affiliate", affiliateId: affiliate.id });
  const orphan = await linkFor(theirs);
  await pool.query("update posthorn.affiliates set deleted_at = now() where id = $1", [affiliate.id]);
  await refused(orphan, "changed since");
});

test("nobody makes one for themselves, and nobody but an admin makes one", async () => {
  const admin = await newUser("admin");
  const ops = await newUser("ops");
  for (const [as, id] of [
    [admin, admin.id],
    [ops, admin.id],
  ] as const)
    expect((await api.call(makeLink, { as, method: "POST", params: { id } })).status).toBe(403);
  const nobody = "01890a5d-ac96-774b-bcce-b302099a8057";
  expect((await api.call(makeLink, { method: "POST", params: { id: nobody } })).status).toBe(404);
});

test("the second factor stays on", async () => {
  const user = await newUser();
  const { secret } = (await api.call(beginTwoFactor, { as: user, body: { password: old } })).body;
  expect((await api.call(enableTwoFactor, { as: user, body: { code: codeOf(secret) } })).status).toBe(204);
  expect((await use(await linkFor(user))).status).toBe(204);
  expect(await signInAs(user.email, next)).toMatchObject({ status: 200, body: { needs_code: true } });
});

test("of many who use one at once, one does; two links used at once do not get in each other's way", async () => {
  const user = await newUser();
  const token = await linkFor(user);
  const answers = await Promise.all(Array.from({ length: 6 }, () => use(token)));
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 410, 410, 410, 410, 410]);

  const made = await linkFor(user);
  await askFor(user.email);
  await vi.waitFor(() => expect(mail.mails).toHaveLength(1), { timeout: 10_000 });
  const both = await Promise.all([use(made), use(tokenIn(mail.mails[0]?.text ?? ""))]);
  expect(both.map(({ status }) => status).sort()).toEqual([204, 410]);
});

test("who tried too often with what they remembered signs in at once with the new password", async () => {
  const user = await newUser();
  const here = visitor();
  for (let tried = 0; tried < 11; tried++) await signInAs(user.email, "something else", here);
  expect((await signInAs(user.email, old, here)).status).toBe(429);
  expect((await use(await linkFor(user), next, here)).status).toBe(204);
  expect((await signInAs(user.email, next, here)).status).toBe(204);
});

test("who asks by e-mail is mailed a link that lasts an hour, and an admin's stays beside it", async () => {
  const user = await newUser();
  const byAdmin = await linkFor(user);
  expect(await askFor(user.email.toUpperCase())).toMatchObject({ status: 204, body: null });
  await vi.waitFor(() => expect(mail.mails).toHaveLength(1), { timeout: 10_000 });
  expect((await askFor(user.email)).status).toBe(204);
  await vi.waitFor(() => expect(mail.mails).toHaveLength(2), { timeout: 10_000 });
  const [first, second] = mail.mails.map(({ text }) => tokenIn(text));
  expect(mail.mails[1]).toMatchObject({
    from: "posthorn@posthorn.example",
    to: [user.email],
    text: expect.stringContaining("for 1 hour"),
  });
  const { rows } = await api.database.pool.query(
    `select extract(epoch from expires_at - created_at)::int / 3600 as hours, ended_at is null as open
     from posthorn.password_links where user_id = $1 order by created_at`,
    [user.id],
  );
  expect(rows).toEqual([
    { hours: 24, open: true },
    { hours: 1, open: false },
    { hours: 1, open: true },
  ]);
  await refused(first ?? "", "replaced by a newer one");
  expect((await use(second ?? "")).status).toBe(204);
  await refused(byAdmin, "changed since");
  expect((await auditOf(user.id)).map(({ action, actor_name }) => [action, actor_name])).toEqual([
    ["user.make_password_link", expect.stringMatching(/^admin /)],
    ["user.make_password_link", "Forgotten password"],
    ["user.make_password_link", "Forgotten password"],
    ["user.use_password_link", "Password link"],
  ]);
});

test("who is unknown, deactivated or without a password is answered the same, and none gets a link", async () => {
  const { pool } = api.database;
  const known = await newUser();
  const away = await newUser();
  await pool.query("update posthorn.users set deactivated_at = now() where id = $1", [away.id]);
  const single = await createUserSession(pool, { role: "ops" });
  const shape = ({ status, body, headers }: Awaited<ReturnType<typeof askFor>>) => ({
    status,
    body,
    headers: [...headers.keys()],
  });
  const answers: ReturnType<typeof shape>[] = [];
  for (const email of [known.email, "nobody@posthorn.example", away.email, single.email])
    answers.push(shape(await askFor(email)));
  expect(answers).toEqual(answers.map(() => answers[0]));
  await vi.waitFor(() => expect(mail.mails).toHaveLength(2), { timeout: 10_000 });
  const [toKnown, toSingle] = [known.email, single.email].map((email) =>
    mail.mails.find(({ to }) => to[0] === email),
  );
  expect(tokenIn(toKnown?.text ?? "")).not.toBe("");
  expect(toSingle?.text).toContain("You have none: you sign in with single sign-on");
  expect(tokenIn(toSingle?.text ?? "")).toBe("");
  const { rows } = await pool.query("select user_id from posthorn.password_links where user_id = any($1)", [
    [away.id, single.id],
  ]);
  expect(rows).toEqual([]);

  // An admin may give them one, should the identity provider be lost.
  expect((await use(await linkFor(single))).status).toBe(204);
  expect((await signInAs(single.email, next)).status).toBe(204);
});

test("it is answered before anybody looks for the account, and the same when that fails", async () => {
  const user = await newUser();
  const { pool } = api.database;
  const holder = await pool.connect();
  try {
    await holder.query("begin");
    await holder.query("lock table posthorn.users");
    expect((await askFor(user.email)).status).toBe(204);
    expect((await askFor("nobody@posthorn.example")).status).toBe(204);
  } finally {
    await holder.query("rollback");
    holder.release();
  }
  await vi.waitFor(() => expect(mail.mails).toHaveLength(1), { timeout: 10_000 });
  mail.refuse("not today");
  expect((await askFor(user.email)).status).toBe(204);
  mail.refuse(null);
});

test("it can be asked for so often, known or not, and links can be made and used so often", async () => {
  const user = await newUser();
  for (const email of [user.email, "unknown@posthorn.example"]) {
    const here = visitor();
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push((await askFor(email, here)).status);
    expect(statuses).toEqual([204, 204, 204, 429]);
    for (let n = 0; n < 6; n++) expect((await askFor(email)).status).toBe(204);
    const late = await askFor(email);
    expect(late).toMatchObject({ status: 429, body: { code: "too_many_requests" } });
    expect(Number(late.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  const here = visitor();
  for (let n = 0; n < 20; n++) expect((await askFor(`a${n}@posthorn.example`, here)).status).toBe(204);
  expect((await askFor("b@posthorn.example", here)).status).toBe(429);

  const uses = [];
  for (let n = 0; n < 21; n++) uses.push((await use("y".repeat(43), next, here)).status);
  expect(uses).toEqual([...Array(20).fill(410), 429]);
  const admin = await newUser("admin");
  const make = async () =>
    (await api.call(makeLink, { as: admin, method: "POST", params: { id: user.id } })).status;
  for (let n = 0; n < 50; n++) expect(await make()).toBe(201);
  expect(await make()).toBe(429);
});
