import { beforeAll, describe, expect, test } from "vitest";
import { setUpApi } from "#test/helpers/api.ts";
import { createAffiliate } from "#test/helpers/factories.ts";
import type { Handler } from "#test/helpers/handlers.ts";
import { createUserSession, type TestUser } from "#test/helpers/users.ts";
import { GET as overview } from "../../app/api/console/overview/route.ts";
import { POST as signIn } from "../../app/api/console/sign-in/route.ts";
import { POST as deactivate } from "../../app/api/console/users/[id]/deactivate/route.ts";
import { POST as reactivate } from "../../app/api/console/users/[id]/reactivate/route.ts";
import { POST as resetSecondFactor } from "../../app/api/console/users/[id]/reset-second-factor/route.ts";
import * as user from "../../app/api/console/users/[id]/route.ts";
import { POST as signOut } from "../../app/api/console/users/[id]/sign-out/route.ts";
import * as users from "../../app/api/console/users/route.ts";

const api = setUpApi();
const password = "three little horns";
let admin: TestUser;

beforeAll(async () => {
  admin = await createUserSession(api.database.pool, { role: "admin" });
});

const statusOf = async ({ cookie }: TestUser) => (await api.call(overview, { headers: { cookie } })).status;
const act = (handler: Handler, { id }: { id: string }, as = admin) =>
  api.call(handler, { as, method: "POST", params: { id } });
const changeRole = (id: string, body: object, as = admin) =>
  api.call(user.PATCH, { as, method: "PATCH", params: { id }, body });
const actionsOf = async (id: string) => {
  const { rows } = await api.database.pool.query(
    "select action, before, after from posthorn.audit_log where object_id = $1 order by id",
    [id],
  );
  return rows;
};

test("the list finds users by name, role, status and affiliate, page by page", async () => {
  const { pool } = api.database;
  const affiliate = await createAffiliate(pool);
  const mine = [];
  for (let n = 0; n < 3; n++)
    mine.push(await createUserSession(pool, { role: "affiliate", affiliateId: affiliate.id }));
  const ids = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);
  const newest = mine.map(({ id }) => id).reverse();
  const list = (query: Record<string, string>) => api.call(users.GET, { as: admin, query });
  expect(ids(await list({ affiliate: affiliate.key }))).toEqual(newest);
  const first = await list({ affiliate: affiliate.key, limit: "2" });
  expect(ids(first)).toEqual(newest.slice(0, 2));
  const next = await list({ affiliate: affiliate.key, limit: "2", cursor: first.body.next_cursor });
  expect(ids(next)).toEqual(newest.slice(2));
  expect(next.body.data[0]).toMatchObject({
    role: "affiliate",
    affiliate: { key: affiliate.key },
    status: "active",
    session_count: 1,
  });
  expect(ids(await list({ q: mine[1]?.email.toUpperCase() ?? "" }))).toEqual([mine[1]?.id]);
  expect(ids(await list({ role: "affiliate", status: "deactivated" }))).toEqual([]);
  expect((await list({ cursor: "tampered" })).body).toMatchObject({ errors: [{ field: "cursor" }] });
  expect(JSON.stringify(first.body)).not.toMatch(/token|password|secret/);
});

test("another role holds from the next request on", async () => {
  const { pool } = api.database;
  const changed = await createUserSession(pool, { role: "support" });
  const affiliate = await createAffiliate(pool);
  expect(await statusOf(changed)).toBe(200);
  expect(await changeRole(changed.id, { role: "affiliate", affiliate: affiliate.key })).toMatchObject({
    status: 200,
    body: { role: "affiliate", affiliate: { key: affiliate.key } },
  });
  expect(await statusOf(changed)).toBe(403);
  expect((await changeRole(changed.id, { role: "ops" })).body).toMatchObject({
    role: "ops",
    affiliate: null,
  });
  expect(await statusOf(changed)).toBe(200);
  // The same once more is no change.
  await changeRole(changed.id, { role: "ops" });
  expect(await actionsOf(changed.id)).toEqual([
    {
      action: "user.change_role",
      before: { role: "support", affiliate: null },
      after: { role: "affiliate", affiliate: affiliate.key },
    },
    {
      action: "user.change_role",
      before: { role: "affiliate", affiliate: affiliate.key },
      after: { role: "ops", affiliate: null },
    },
  ]);
});

test.each<[object, string]>([
  [{ role: "affiliate" }, "affiliate"],
  [{ role: "admin", affiliate: "acme" }, "affiliate"],
  [{ role: "affiliate", affiliate: "nobody-at-all" }, "affiliate"],
  [{ role: "owner" }, "role"],
])("%j is refused", async (body, field) => {
  const changed = await createUserSession(api.database.pool, { role: "support" });
  expect(await changeRole(changed.id, body)).toMatchObject({ status: 422, body: { errors: [{ field }] } });
});

test("whoever is deactivated is out at once, and can come back", async () => {
  const gone = await createUserSession(api.database.pool, { role: "ops", password });
  const tryIn = async () =>
    (
      await api.call(signIn, {
        body: { email: gone.email, password },
        headers: { cookie: null, "x-posthorn-address": "192.0.2.1" },
      })
    ).status;
  expect(await tryIn()).toBe(204);
  expect(await act(deactivate, gone)).toMatchObject({
    status: 200,
    body: { status: "deactivated", session_count: 0 },
  });
  expect(await statusOf(gone)).toBe(401);
  expect(await tryIn()).toBe(401);
  expect((await act(reactivate, gone)).body).toMatchObject({ status: "active" });
  expect(await statusOf(gone)).toBe(401);
  expect(await tryIn()).toBe(204);
  const actions = (await actionsOf(gone.id)).map(({ action }) => action);
  expect(actions.filter((action) => action !== "user.sign_in")).toEqual([
    "user.deactivate",
    "user.reactivate",
  ]);
});

test("somebody is signed out, and their second factor reset", async () => {
  const { pool } = api.database;
  const other = await createUserSession(pool, { role: "ops" });
  await pool.query("update posthorn.users set two_factor_enabled = true where id = $1", [other.id]);
  await pool.query(
    "insert into posthorn.two_factors (id, user_id, secret, backup_codes) values (gen_random_uuid(), $1, 'x', 'x')",
    [other.id],
  );
  expect((await act(resetSecondFactor, other)).body).toMatchObject({ two_factor: false });
  const { rows } = await pool.query("select from posthorn.two_factors where user_id = $1", [other.id]);
  expect(rows).toEqual([]);
  expect(await statusOf(other)).toBe(200);
  expect((await act(signOut, other)).body).toMatchObject({ session_count: 0 });
  expect(await statusOf(other)).toBe(401);
  expect(await actionsOf(other.id)).toEqual([
    { action: "user.reset_second_factor", before: null, after: null },
    { action: "user.end_sessions", before: null, after: { sessions_ended: 1 } },
  ]);
});

test("nobody does any of it to themselves", async () => {
  const detail = "Nobody changes their own role or access";
  for (const answer of [
    await changeRole(admin.id, { role: "ops" }),
    await act(deactivate, admin),
    await act(reactivate, admin),
    await act(signOut, admin),
    await act(resetSecondFactor, admin),
  ])
    expect(answer).toMatchObject({ status: 403, body: { detail } });
  expect((await act(deactivate, { id: "01890a5d-ac96-774b-bcce-b302099a8057" })).status).toBe(404);
});

describe("the last admin", () => {
  test("stays, when two admins demote or deactivate each other at once", async () => {
    const { pool } = api.database;
    for (const undo of [
      (one: TestUser, by: TestUser) => changeRole(one.id, { role: "ops" }, by),
      (one: TestUser, by: TestUser) => act(deactivate, one, by),
    ]) {
      await pool.query("update posthorn.users set role = 'support' where role = 'admin'");
      const [a, b] = [
        await createUserSession(pool, { role: "admin" }),
        await createUserSession(pool, { role: "admin" }),
      ];
      const answers = await Promise.all([undo(a, b), undo(b, a)]);
      const statuses = answers.map(({ status }) => status).sort();
      // Whose turn comes second has no session, or no right, any more, or is told why.
      expect(statuses[0]).toBe(200);
      expect([401, 403, 409]).toContain(statuses[1]);
      const { rows } = await pool.query(
        "select id from posthorn.users where role = 'admin' and deactivated_at is null",
      );
      expect(rows).toHaveLength(1);
    }
  });

  test("is told so", async () => {
    const { pool } = api.database;
    await pool.query("update posthorn.users set role = 'support' where role = 'admin'");
    const last = await createUserSession(pool, { role: "admin" });
    // An admin who was demoted while this request was under way.
    const { changeUserRole } = await import("#lib/users/service.ts");
    const from = { address: null, userAgent: null };
    const actor = { kind: "user", role: "admin", affiliateId: null, id: admin.id, name: "x", from } as const;
    await expect(changeUserRole(actor, last.id, { role: "ops", affiliate: null })).rejects.toMatchObject({
      code: "last_admin",
      status: 409,
    });
  });
});
