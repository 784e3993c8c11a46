import { beforeAll, describe, expect, test } from "vitest";
import { fanOut } from "#lib/queue/fan-out.ts";
import { setUpApi } from "#test/helpers/api.ts";
import {
  createAffiliate,
  createApiKey,
  createEndpoint,
  fanOutOptions,
  publish,
} from "#test/helpers/factories.ts";
import type { Handler } from "#test/helpers/handlers.ts";
import { createUserSession, type TestUser } from "#test/helpers/users.ts";
import { POST as changePassword } from "../../app/api/console/account/password/route.ts";
import * as account from "../../app/api/console/account/route.ts";
import * as sessions from "../../app/api/console/account/sessions/route.ts";
import { POST as beginTwoFactor } from "../../app/api/console/account/two-factor/route.ts";
import { GET as audit } from "../../app/api/console/audit/route.ts";
import { POST as resend } from "../../app/api/console/deliveries/[id]/resend/route.ts";
import { GET as deliveries } from "../../app/api/console/deliveries/route.ts";
import { POST as revealSecret } from "../../app/api/console/endpoints/[id]/reveal-secret/route.ts";
import * as endpoint from "../../app/api/console/endpoints/[id]/route.ts";
import { GET as overview } from "../../app/api/console/overview/route.ts";
import { POST as enter } from "../../app/api/console/portal-enter/route.ts";
import { POST as signOut } from "../../app/api/console/sign-out/route.ts";
import { DELETE as remove } from "../../app/api/v1/affiliates/[key]/portal-link/[id]/route.ts";
import * as links from "../../app/api/v1/affiliates/[key]/portal-link/route.ts";

const api = setUpApi();
let mine: { id: string; key: string; endpointId: string };
let theirs: { id: string; key: string; endpointId: string };

async function makeBelongings() {
  const affiliate = await createAffiliate(api.database.pool);
  const { id } = await createEndpoint(api.database.pool, { url: "http://127.0.0.1:9/", affiliate });
  return { ...affiliate, endpointId: id };
}

beforeAll(async () => {
  mine = await makeBelongings();
  theirs = await makeBelongings();
});

const make = (body: unknown = {}, key = mine.key) => api.call(links.POST, { body, params: { key } });
const tokenOf = (url: string) => new URL(url).searchParams.get("token") ?? "";
const open = (token: string, headers: Record<string, string | null> = {}) =>
  api.call(enter, { body: { token }, headers: { cookie: null, authorization: null, ...headers } });

/** The session that a new link becomes, to call handlers with. */
async function openedSession(): Promise<{ link: string; as: TestUser }> {
  const { body } = await make();
  const { headers } = await open(tokenOf(body.url));
  const cookie = headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const nobody = { id: body.id, name: "", email: "", sessionId: body.id, role: "affiliate" as const };
  return { link: body.id, as: { ...nobody, cookie } };
}

describe("a portal link", () => {
  test("is answered once, with its URL and end, and lasts ten minutes unless said otherwise", async () => {
    const { status, body } = await make();
    expect(status).toBe(201);
    expect(body.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/portal\/enter\?token=[\w-]{43}$/);
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(10 * 60_000);
    const longest = (await make({ minutes: 60 })).body;
    expect(Date.parse(longest.expires_at) - Date.parse(longest.created_at)).toBe(60 * 60_000);
    const list = await api.call(links.GET, { params: { key: mine.key } });
    expect(list.body.data.map(({ id }: { id: string }) => id)).toEqual([longest.id, body.id]);
    expect(JSON.stringify(list.body)).not.toContain("token");
    const { rows } = await api.database.pool.query("select l::text as text from posthorn.portal_links l");
    expect(JSON.stringify(rows)).not.toContain(tokenOf(body.url));
  });

  test.each([{ minutes: 0 }, { minutes: 61 }, { minutes: 1.5 }, { minutes: "5" }, { hours: 1 }])(
    "is refused for %j",
    async (body) => expect((await make(body)).status).toBe(422),
  );

  test("is for an operator's key to manage with, and for an affiliate that is there", async () => {
    expect((await make({}, "nobody")).status).toBe(404);
    const { key } = await createApiKey(api.database.pool, { purpose: "read" });
    const headers = { authorization: `Bearer ${key}` };
    expect((await api.call(links.POST, { body: {}, params: { key: mine.key }, headers })).status).toBe(403);
    const { body } = await make();
    const params = { key: theirs.key, id: body.id };
    expect((await api.call(remove, { method: "DELETE", params })).status).toBe(404);
  });

  test("opens the portal once, of many at once for one", async () => {
    const token = tokenOf((await make()).body.url);
    const all = await Promise.all(Array.from({ length: 8 }, () => open(token)));
    expect(all.map(({ status }) => status).sort()).toEqual([204, ...Array(7).fill(410)]);
    const [cookie] = all.find(({ status }) => status === 204)?.headers.getSetCookie() ?? [];
    expect(cookie).toMatch(/^posthorn\.session_token=[^;]+; Max-Age=28800; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(await open(token)).toMatchObject({ status: 410, body: { code: "link_not_valid" } });
  });

  test("is exchanged by our own page alone", async () => {
    const token = tokenOf((await make()).body.url);
    expect((await open(token, { origin: "https://evil.example" })).status).toBe(403);
    expect((await open(token, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await open(token)).status).toBe(204);
  });

  test("leads nowhere once it has expired or was revoked, or its affiliate is gone", async () => {
    const expired = (await make()).body;
    await api.database.pool.query("update posthorn.portal_links set expires_at = now() where id = $1", [
      expired.id,
    ]);
    expect((await open(tokenOf(expired.url))).status).toBe(410);
    const revoked = (await make()).body;
    const params = { key: mine.key, id: revoked.id };
    expect((await api.call(remove, { method: "DELETE", params })).status).toBe(204);
    expect((await api.call(remove, { method: "DELETE", params })).status).toBe(204);
    expect((await open(tokenOf(revoked.url))).status).toBe(410);
    const gone = await createAffiliate(api.database.pool);
    const { url } = (await make({}, gone.key)).body;
    await api.database.pool.query("update posthorn.affiliates set deleted_at = now() where id = $1", [
      gone.id,
    ]);
    expect((await open(tokenOf(url))).status).toBe(410);
    const list = await api.call(links.GET, { params: { key: mine.key } });
    const states = new Map(list.body.data.map(({ id, status }: Record<string, string>) => [id, status]));
    expect([states.get(expired.id), states.get(revoked.id)]).toEqual(["expired", "revoked"]);
    for (const token of ["", "x", "x".repeat(500)]) expect((await open(token)).status).toBeOneOf([410, 422]);
  });
});

describe("its session", () => {
  test("sees what is the affiliate's, and nothing of others or of the console", async () => {
    const { as } = await openedSession();
    const show = (id: string) => api.call(endpoint.GET, { as, params: { id } });
    expect((await show(mine.endpointId)).status).toBe(200);
    expect((await show(theirs.endpointId)).status).toBe(404);
    expect((await api.call(deliveries, { as })).status).toBe(200);
    expect((await api.call(overview, { as })).status).toBe(403);
  });

  test.each<[string, Handler, "GET" | "POST" | "PATCH" | "DELETE", unknown]>([
    ["its account", account.GET, "GET", undefined],
    ["a new name", account.PATCH, "PATCH", { name: "x" }],
    ["a password", changePassword, "POST", { current: "three little horns", password: "four little horns" }],
    ["its sessions", sessions.GET, "GET", undefined],
    ["ending all sessions", sessions.DELETE, "DELETE", undefined],
    ["a second factor", beginTwoFactor, "POST", { password: "three little horns" }],
  ])("has no account: %s", async (_, handler, method, body) => {
    const { as } = await openedSession();
    expect(await api.call(handler, { as, method, ...(body ? { body } : {}) })).toMatchObject({
      status: 403,
      body: { detail: "You came by a portal link, which has no account" },
    });
  });

  test("does not reveal secrets, which takes a password", async () => {
    const { as } = await openedSession();
    const call = { as, params: { id: mine.endpointId }, body: { reason: "because" } };
    expect(await api.call(revealSecret, call)).toMatchObject({ status: 403 });
  });

  test("is called by the key that made it, in the audit log, and counts towards the affiliate's resends", async () => {
    const { link, as } = await openedSession();
    const eventId = await publish(api.database.pool, { affiliate: mine.key });
    await fanOut(api.database.pool, fanOutOptions);
    const { rows } = await api.database.pool.query(
      "update posthorn.deliveries set state = 'dead_letter', reason = 'timeout' where event_id = $1 returning id::text",
      [eventId],
    );
    const { status, body } = await api.call(resend, { as, params: { id: rows[0].id }, body: {} });
    expect([status, body.state]).toEqual([200, "pending"]);
    const entries = await api.call(audit, { query: { actor: link } });
    expect(entries.body.data).toMatchObject([
      { action: "delivery.resend", actor: { kind: "user", name: "Portal link of First key" } },
      { action: "portal_link.use", affiliate: { key: mine.key } },
    ]);
    const colleague = await createUserSession(api.database.pool, { role: "affiliate", affiliateId: mine.id });
    await api.database.pool.query(
      "update posthorn.deliveries set state = 'dead_letter', reason = 'timeout' where id = $1",
      [rows[0].id],
    );
    await api.database.pool.query(
      `insert into posthorn.audit_log (actor_kind, actor_id, actor_name, action, object_kind, object_id)
       select 'user', $1, 'x', 'delivery.resend', 'delivery', '0' from generate_series(1, 59)`,
      [link],
    );
    const refused = await api.call(resend, { as: colleague, params: { id: rows[0].id }, body: {} });
    expect(refused.status).toBe(429);
  });

  test("ends with a sign-out, with its time, and when the link is revoked", async () => {
    const is = async (as: TestUser) => (await api.call(deliveries, { as })).status;
    const [first, second, third] = [await openedSession(), await openedSession(), await openedSession()];
    expect((await api.call(signOut, { as: first.as, method: "POST" })).status).toBe(204);
    await api.database.pool.query("update posthorn.portal_links set session_ends_at = now() where id = $1", [
      second.link,
    ]);
    const params = { key: mine.key, id: third.link };
    expect(await is(third.as)).toBe(200);
    await api.call(remove, { method: "DELETE", params });
    expect([await is(first.as), await is(second.as), await is(third.as)]).toEqual([401, 401, 401]);
  });
});
