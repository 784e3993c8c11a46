import { beforeAll, expect, test } from "vitest";
import { setUpApi } from "#test/helpers/api.ts";
import { createAffiliate } from "#test/helpers/factories.ts";
import { createUserSession, type TestUser } from "#test/helpers/users.ts";
import { GET as deliveries } from "../../app/api/console/deliveries/route.ts";
import { POST as enter } from "../../app/api/console/portal-enter/route.ts";
import { POST as signIn } from "../../app/api/console/sign-in/route.ts";
import * as viewAs from "../../app/api/console/view-as/route.ts";
import * as links from "../../app/api/v1/affiliates/[key]/portal-link/route.ts";

const api = setUpApi();
const password = "three little horns";
let affiliate: { id: string; key: string };
let somebody: TestUser;

beforeAll(async () => {
  affiliate = await createAffiliate(api.database.pool);
  somebody = await createUserSession(api.database.pool, { role: "ops", password });
});

const cookieOf = (headers: Headers) => headers.getSetCookie()[0]?.split(";")[0] ?? "";
const statusWith = async (cookie: string) => (await api.call(deliveries, { headers: { cookie } })).status;
const actionsOf = async (id: string) => {
  const { rows } = await api.database.pool.query(
    "select action from posthorn.audit_log where actor_id = $1 order by id",
    [id],
  );
  return rows.map(({ action }) => action);
};
const signInWith = (cookie: string, given = password) =>
  api.call(signIn, { body: { email: somebody.email, password: given }, headers: { cookie } });
const enterWith = async (cookie: string) => {
  const { body } = await api.call(links.POST, { body: {}, params: { key: affiliate.key } });
  const token = new URL(body.url).searchParams.get("token");
  return { link: body.id, ...(await api.call(enter, { body: { token }, headers: { cookie } })) };
};

test.each([
  ["signing in", signInWith],
  ["entering by a portal link", enterWith],
])("%s ends the session that came along, and its view of an affiliate", async (_, begin) => {
  const before = await createUserSession(api.database.pool, { role: "support" });
  await api.call(viewAs.POST, { as: before, body: { affiliate: affiliate.key } });
  const elsewhere = somebody.cookie;
  const { status, headers } = await begin(before.cookie);
  expect(status).toBe(204);
  expect(await statusWith(before.cookie)).toBe(401);
  expect(await statusWith(cookieOf(headers))).toBe(200);
  expect(await statusWith(elsewhere)).toBe(200);
  expect(await actionsOf(before.id)).toEqual([
    "affiliate.view_as",
    "affiliate.stop_viewing",
    "user.sign_out",
  ]);
});

test("the session of a portal link ends so as well", async () => {
  const { link, headers } = await enterWith("");
  const cookie = cookieOf(headers);
  expect((await signInWith(cookie)).status).toBe(204);
  expect(await statusWith(cookie)).toBe(401);
  expect(await actionsOf(link)).toEqual(["portal_link.use", "user.sign_out"]);
});

test("nothing ends where nothing begins, nor by a cookie that we did not sign", async () => {
  const before = await createUserSession(api.database.pool, { role: "support" });
  expect((await signInWith(before.cookie, "not the password")).status).toBe(401);
  const token = "x".repeat(43);
  const refused = await api.call(enter, { body: { token }, headers: { cookie: before.cookie } });
  expect(refused.status).toBe(410);
  const [name, value = ""] = before.cookie.split("=");
  const [unsigned] = decodeURIComponent(value).split(".");
  expect((await signInWith(`${name}=${unsigned}.AAAA`)).status).toBe(204);
  expect(await statusWith(before.cookie)).toBe(200);
});
