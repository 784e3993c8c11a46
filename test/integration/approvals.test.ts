import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { setUpApi } from "#test/helpers/api.ts";
import { createAffiliate } from "#test/helpers/factories.ts";
import { createUserSession, type TestUser } from "#test/helpers/users.ts";
import { POST as approve } from "../../app/api/console/approvals/[id]/approve/route.ts";
import { POST as refuse } from "../../app/api/console/approvals/[id]/refuse/route.ts";
import { GET as list } from "../../app/api/console/approvals/route.ts";
import { DELETE as withdraw } from "../../app/api/console/endpoints/[id]/change/route.ts";
import * as endpoint from "../../app/api/console/endpoints/[id]/route.ts";
import * as publicEndpoint from "../../app/api/v1/endpoints/[id]/route.ts";
import * as endpoints from "../../app/api/v1/endpoints/route.ts";

const api = setUpApi();
const setting = "POSTHORN_APPROVE_HOST_CHANGES";
let user: TestUser;
let other: TestUser;
let key: string;
let id: string;

beforeAll(async () => {
  process.env[setting] = "true";
  const { pool } = api.database;
  const affiliate = await createAffiliate(pool);
  key = affiliate.key;
  user = await createUserSession(pool, { role: "affiliate", affiliateId: affiliate.id });
  const others = await createAffiliate(pool);
  other = await createUserSession(pool, { role: "affiliate", affiliateId: others.id });
});
afterAll(() => {
  delete process.env[setting];
});

const from = "http://127.0.0.1:9/hook";
const to = "http://127.0.0.2:9/hook?token=x";

beforeEach(async () => {
  const headers = [{ name: "X-Token", value: "old" }];
  const made = await api.call(endpoints.POST, { body: { affiliate: key, name: "Hook", url: from, headers } });
  expect(made.status).toBe(201);
  id = made.body.id;
});

const edit = (body: unknown, as: TestUser | "ops" = user) =>
  api.call(endpoint.PATCH, { as, method: "PATCH", params: { id }, body });
const shown = async () => (await api.call(endpoint.GET, { as: user, params: { id } })).body;
const waiting = async () =>
  (await api.call(list, { as: "ops" })).body.data.filter(
    (one: { endpoint: { id: string } }) => one.endpoint.id === id,
  );
const decide = (
  handler: typeof approve,
  change: string,
  body: unknown = {},
  as: TestUser | "ops" | "support" = "ops",
) => api.call(handler, { as, params: { id: change }, body });

test("an affiliate's edit to another host waits, and the endpoint goes on as it was until it is approved", async () => {
  const headers = [{ name: "X-Token", value: "hush-hush" }];
  const { status, body } = await edit({ url: to, name: "Moved", headers });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    url: from,
    name: "Hook",
    change: { state: "pending", from_url: from, to_url: to },
  });
  expect(await shown()).toMatchObject({ url: from, name: "Hook", change: { state: "pending" } });
  // What the edit holds may be credentials: they are in no column, list or line in the clear.
  const { rows } = await api.database.pool.query(
    "select c::text, encode(edit, 'escape') from posthorn.endpoint_changes c union all select l::text, '' from posthorn.audit_log l",
  );
  expect(JSON.stringify(rows)).not.toContain("hush-hush");
  const [change] = await waiting();
  expect(change).toMatchObject({ requested_by: user.name, affiliate: { key }, to_url: to });
  expect((await decide(approve, change.id)).status).toBe(204);
  expect(await shown()).toMatchObject({ url: to, name: "Moved", change: { state: "approved" } });
  expect(await waiting()).toEqual([]);
  const audit = await api.database.pool.query(
    "select action, actor_name from posthorn.audit_log where object_id = $1 order by id",
    [id],
  );
  expect(audit.rows.map(({ action }) => action)).toEqual([
    "endpoint.create",
    "endpoint.request_change",
    "endpoint.approve_change",
    "endpoint.edit",
  ]);
});

test("a refusal is read by the affiliate with its reason, and holds", async () => {
  await edit({ url: to });
  const [change] = await waiting();
  expect((await decide(refuse, change.id, {})).status).toBe(422);
  expect((await decide(refuse, change.id, { reason: "  " })).status).toBe(422);
  expect((await decide(refuse, change.id, { reason: "unknown host" })).status).toBe(204);
  expect(await shown()).toMatchObject({ url: from, change: { state: "refused", reason: "unknown host" } });
  for (const handler of [approve, refuse])
    expect(await decide(handler, change.id, handler === refuse ? { reason: "again" } : {})).toMatchObject({
      status: 409,
      body: { code: "change_decided" },
    });
});

test("of many decisions at once one holds", async () => {
  await edit({ url: to });
  const [change] = await waiting();
  const all = await Promise.all(
    Array.from({ length: 6 }, (_, i) =>
      i % 2 === 0 ? decide(approve, change.id) : decide(refuse, change.id, { reason: "because" }),
    ),
  );
  expect(all.map(({ status }) => status).sort()).toEqual([204, 409, 409, 409, 409, 409]);
});

test("what stays at its host, and what others do, waits for nobody", async () => {
  expect((await edit({ url: `${from}/other?x=1`, name: "Same host" })).body).toMatchObject({
    name: "Same host",
    change: null,
  });
  expect((await edit({ url: to }, "ops")).body).toMatchObject({ url: to, change: null });
  const byKey = await api.call(publicEndpoint.PATCH, {
    method: "PATCH",
    params: { id },
    body: { url: from },
  });
  expect(byKey.body.url).toBe(from);
});

test("another port or scheme is another host", async () => {
  expect((await edit({ url: "http://127.0.0.1:10/hook" })).body.change).toMatchObject({ state: "pending" });
  expect((await edit({ url: "https://127.0.0.1:9/hook" })).body.change).toMatchObject({ state: "pending" });
});

test("a later edit takes the place of one that waits, and one can be taken back", async () => {
  await edit({ url: to });
  await edit({ url: "http://127.0.0.3:9/" });
  const left = await waiting();
  expect(left).toMatchObject([{ to_url: "http://127.0.0.3:9/" }]);
  expect((await api.call(withdraw, { as: other, method: "DELETE", params: { id } })).status).toBe(404);
  expect((await api.call(withdraw, { as: user, method: "DELETE", params: { id } })).status).toBe(204);
  expect((await api.call(withdraw, { as: user, method: "DELETE", params: { id } })).status).toBe(404);
  expect(await waiting()).toEqual([]);
  expect((await decide(approve, left[0].id)).status).toBe(409);
});

test("an edit that is wrong is refused at once, and one that fits no more when it is approved", async () => {
  expect((await edit({ url: "http://10.0.0.1/" })).status).toBe(422);
  await edit({ url: to, headers: [{ name: "X-Token", value: null }] });
  const [change] = await waiting();
  await edit({ headers: [] });
  expect((await decide(approve, change.id)).status).toBe(422);
  expect(await shown()).toMatchObject({ url: from, change: { state: "pending" } });
});

test("what waits ends with its endpoint, and is kept no longer", async () => {
  await edit({ url: to, headers: [{ name: "X-Token", value: "new" }] });
  const [change] = await waiting();
  expect((await api.call(endpoint.DELETE, { as: user, method: "DELETE", params: { id } })).status).toBe(204);
  const { rows } = await api.database.pool.query(
    "select state, edit, decided_by from posthorn.endpoint_changes where id = $1",
    [change.id],
  );
  expect(rows).toEqual([{ state: "withdrawn", edit: null, decided_by: user.name }]);
  expect((await decide(approve, change.id)).status).toBe(404);
});

test("deciding is for ops and admins", async () => {
  await edit({ url: to });
  const [change] = await waiting();
  for (const as of [user, "support"] as const) {
    expect((await decide(approve, change.id, {}, as)).status).toBe(403);
    expect((await decide(refuse, change.id, { reason: "because" }, as)).status).toBe(403);
    expect((await api.call(list, { as })).status).toBe(403);
  }
  expect((await decide(approve, "01890a5d-ac96-774b-bcce-b302099a8057")).status).toBe(404);
  expect((await api.call(list, { as: "ops", query: { view: "nonsense" } })).status).toBe(422);
});
