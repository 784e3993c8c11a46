import { v7 as uuidV7 } from "uuid";
import { describe, expect, test } from "vitest";
import { ensureFirstAdmin } from "#lib/accounts/first-admin.ts";
import { appDatabase } from "#lib/db/app.ts";
import { fanOut } from "#lib/queue/fan-out.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { whileAuditFails } from "#test/helpers/audit.ts";
import { makeDeadLetters } from "#test/helpers/dead-letters.ts";
import {
  createAffiliate,
  createApiKey,
  createEndpoint,
  fanOutOptions,
  publish,
} from "#test/helpers/factories.ts";
import { type Handler, handlersOf, type NamedHandler } from "#test/helpers/handlers.ts";
import { codeOf } from "#test/helpers/totp.ts";
import { createUserSession, type TestUser } from "#test/helpers/users.ts";
import * as enable from "../../app/api/console/account/two-factor/enable/route.ts";
import * as twoFactor from "../../app/api/console/account/two-factor/route.ts";
import * as consoleEndpoint from "../../app/api/console/endpoints/[id]/route.ts";
import * as invitations from "../../app/api/console/invitations/route.ts";
import * as noticeSettings from "../../app/api/console/notices/settings/route.ts";
import * as signIn from "../../app/api/console/sign-in/route.ts";
import * as passwordLink from "../../app/api/console/users/[id]/password-link/route.ts";
import * as viewAs from "../../app/api/console/view-as/route.ts";
import * as portalLink from "../../app/api/v1/affiliates/[key]/portal-link/route.ts";
import * as holdBreaker from "../../app/api/v1/endpoints/[id]/breaker/hold/route.ts";
import * as rotateSecret from "../../app/api/v1/endpoints/[id]/rotate-secret/route.ts";
import * as eventTypes from "../../app/api/v1/event-types/route.ts";

/**
 * Every handler that changes something, with a request that it does: its entry is in the audit log then, and where that
 * cannot be written, nothing is changed.
 */
const files = import.meta.glob<Record<string, Handler>>("../../app/**/route.ts", { eager: true });
const handlers = handlersOf(files, "../../app").filter(({ method }) => method !== "GET");
process.env.POSTHORN_APPROVE_HOST_CHANGES = "true";
const api = setUpApi();
const password = "three little horns";
const reason = { reason: "because" };
let made = 0;

type Wish = { params?: Record<string, string>; body?: unknown; cookie?: string };
type Given = {
  admin: TestUser;
  affiliate: { id: string; key: string };
  /** Of the affiliate. */
  user: TestUser;
  endpoint: string;
  dead: string;
};

const pool = () => api.database.pool;
const one = async (sql: string, ...values: unknown[]) => (await pool().query(sql, values)).rows[0];
const tokenOf = (url: string) => new URL(url).searchParams.get("token");
const cookieOf = (headers: Headers) =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
const secondFactor = async (user: TestUser) => {
  const begun = await api.call(twoFactor.POST, { as: user, body: { password } });
  return { secret: begun.body.secret as string, code: codeOf(begun.body.secret) };
};
const withSecondFactor = async () => {
  const user = await createUserSession(pool(), { role: "ops", password });
  const { secret, code } = await secondFactor(user);
  const { headers } = await api.call(enable.POST, { as: user, body: { code } });
  return { user, secret, cookie: cookieOf(headers) };
};
const pendingChange = async ({ user, endpoint }: Given) => {
  await api.call(consoleEndpoint.PATCH, {
    as: user,
    method: "PATCH",
    params: { id: endpoint },
    body: { url: "http://127.0.0.2:9/" },
  });
  return (await one("select id from posthorn.endpoint_changes where endpoint_id = $1", endpoint)).id;
};
const newEventType = async () => {
  const name = `mutation_${++made}`;
  await api.call(eventTypes.POST, { body: { name } });
  return name;
};
const newRequeue = async () => {
  const id = uuidV7();
  await pool().query(
    `insert into posthorn.requeues (id, operation, mode, filter, as_of, last_id, reason, actor_kind, actor_name, total)
     values ($1, 'requeue', 'same_url', '{}', now(), 0, 'x', 'system', 'x', 1)`,
    [id],
  );
  return id;
};
const newLink = async ({ affiliate }: Given) =>
  (await api.call(portalLink.POST, { params: { key: affiliate.key }, body: {} })).body;
const newInvitation = async () =>
  (await api.call(invitations.POST, { body: { email: `m-${++made}@posthorn.example`, role: "ops" } })).body;
const hold = ({ endpoint }: Given) => api.call(holdBreaker.POST, { params: { id: endpoint }, body: reason });
const view = ({ admin, affiliate }: Given) =>
  api.call(viewAs.POST, { as: admin, body: { affiliate: affiliate.key } });
const onEndpoint = (body?: unknown) => async (given: Given) => ({ params: { id: given.endpoint }, body });

/** Puts things into the state in which the request does something, by method and path below /api/v1 or /api/console. */
const wishes: Record<string, (given: Given) => Promise<Wish>> = {
  "PATCH /account": async () => ({ body: { name: "Renamed" } }),
  "DELETE /account/sessions": async () => ({}),
  "POST /account/password": async () => {
    const { cookie } = await createUserSession(pool(), { role: "ops", password });
    return { cookie, body: { current: password, password: "four little horns" } };
  },
  "POST /account/two-factor": async () => {
    const { cookie } = await createUserSession(pool(), { role: "ops", password });
    return { cookie, body: { password } };
  },
  "POST /account/two-factor/enable": async () => {
    const user = await createUserSession(pool(), { role: "ops", password });
    return { cookie: user.cookie, body: { code: (await secondFactor(user)).code } };
  },
  "POST /account/two-factor/disable": async () => {
    const { cookie } = await withSecondFactor();
    return { cookie, body: { password } };
  },
  "POST /affiliates": async () => ({ body: { key: `mutation-${++made}`, name: "Made" } }),
  "PATCH /affiliates/[key]": async ({ affiliate }) => ({
    params: { key: affiliate.key },
    body: { name: "Renamed" },
  }),
  "DELETE /affiliates/[key]": async () => ({ params: { key: (await createAffiliate(pool())).key } }),
  "POST /affiliates/[key]/portal-link": async ({ affiliate }) => ({
    params: { key: affiliate.key },
    body: {},
  }),
  "DELETE /affiliates/[key]/portal-link/[id]": async (given) => ({
    params: { key: given.affiliate.key, id: (await newLink(given)).id },
  }),
  "POST /api-keys": async () => ({ body: { name: "Made", purpose: "read" } }),
  "DELETE /api-keys/[id]": async () => ({ params: { id: (await createApiKey(pool(), {})).id } }),
  "POST /approvals/[id]/approve": async (given) => ({ params: { id: await pendingChange(given) }, body: {} }),
  "POST /approvals/[id]/refuse": async (given) => ({
    params: { id: await pendingChange(given) },
    body: reason,
  }),
  "POST /deliveries/[id]/resend": async ({ dead }) => ({ params: { id: dead }, body: {} }),
  "POST /deliveries/[id]/reveal": async ({ dead }) => ({ params: { id: dead }, body: reason }),
  "POST /endpoints": async ({ affiliate }) => ({
    body: { affiliate: affiliate.key, name: "Made", url: "http://127.0.0.1:9/" },
  }),
  "PATCH /endpoints/[id]": onEndpoint({ name: "Renamed" }),
  "DELETE /endpoints/[id]": onEndpoint(),
  "POST /endpoints/[id]/breaker/close": async (given) => {
    await hold(given);
    return onEndpoint({})(given);
  },
  "POST /endpoints/[id]/breaker/hold": onEndpoint(reason),
  "POST /endpoints/[id]/breaker/reset": async (given) => {
    await hold(given);
    return onEndpoint({})(given);
  },
  "DELETE /endpoints/[id]/change": async (given) => {
    await pendingChange(given);
    return onEndpoint()(given);
  },
  "POST /endpoints/[id]/pause": onEndpoint({}),
  "POST /endpoints/[id]/render-waiting": async ({ affiliate }) => {
    const { id } = await createEndpoint(pool(), {
      url: "http://127.0.0.1:9/?c={click_id}",
      affiliate,
      postback: {},
    });
    await publish(pool(), { affiliate: affiliate.key, data: '{"click_id":"c"}' });
    await fanOut(pool(), fanOutOptions);
    return { params: { id }, body: {} };
  },
  "POST /endpoints/[id]/resume": async (given) => {
    await pool().query("update posthorn.endpoints set status = 'paused' where id = $1", [given.endpoint]);
    return onEndpoint({})(given);
  },
  "POST /endpoints/[id]/reveal-secret": onEndpoint(reason),
  "POST /endpoints/[id]/rotate-secret": onEndpoint({}),
  "DELETE /endpoints/[id]/secrets/[secretId]": async ({ endpoint }) => {
    const { id } = await one("select id from posthorn.endpoint_secrets where endpoint_id = $1", endpoint);
    await api.call(rotateSecret.POST, { params: { id: endpoint }, body: { overlap_hours: 24 } });
    return { params: { id: endpoint, secretId: id } };
  },
  "POST /endpoints/[id]/test": onEndpoint({ live: true }),
  "POST /event-types": async () => ({ body: { name: `mutation_${++made}` } }),
  "PATCH /event-types/[name]": async () => ({
    params: { name: await newEventType() },
    body: { description: "Changed" },
  }),
  "DELETE /event-types/[name]": async () => ({ params: { name: await newEventType() } }),
  "POST /events/[id]/reveal": async ({ affiliate }) => ({
    params: { id: await publish(pool(), { affiliate: affiliate.key }) },
    body: reason,
  }),
  "POST /invitations": async () => ({ body: { email: `m-${++made}@posthorn.example`, role: "support" } }),
  "DELETE /invitations/[id]": async () => ({ params: { id: (await newInvitation()).id } }),
  "POST /invitations/accept": async () => ({
    cookie: "",
    body: { token: tokenOf((await newInvitation()).url), name: "Invited", password },
  }),
  "POST /new-password": async ({ user }) => {
    const link = await api.call(passwordLink.POST, { params: { id: user.id }, body: {} });
    return { cookie: "", body: { token: tokenOf(link.body.url), password } };
  },
  "PATCH /notices/settings": async ({ user }) => ({ cookie: user.cookie, body: { kinds: ["failing"] } }),
  "POST /notices/settings/secret": async ({ user }) => {
    const body = { webhook_url: "http://127.0.0.1:9/" };
    await api.call(noticeSettings.PATCH, { as: user, method: "PATCH", body });
    return { cookie: user.cookie, body: {} };
  },
  "POST /portal-enter": async (given) => ({
    cookie: given.admin.cookie,
    body: { token: tokenOf((await newLink(given)).url) },
  }),
  "POST /requeues": async ({ endpoint }) => ({ body: { filter: { endpoint }, ...reason } }),
  "POST /requeues/[id]/cancel": async () => ({ params: { id: await newRequeue() }, body: {} }),
  "POST /setup": async () => {
    await pool().query("update posthorn.users set role = 'support' where role = 'admin'");
    const link = await ensureFirstAdmin(appDatabase(), { firstAdmin: undefined });
    const email = `m-${++made}@posthorn.example`;
    return { cookie: "", body: { token: link?.setupToken, name: "First", email, password } };
  },
  "POST /sign-in": async ({ admin }) => {
    const { email } = await createUserSession(pool(), { role: "ops", password });
    return { cookie: admin.cookie, body: { email, password } };
  },
  "POST /sign-in/code": async ({ admin }) => {
    const { user, secret } = await withSecondFactor();
    const first = await api.call(signIn.POST, { body: { email: user.email, password } });
    return {
      cookie: `${admin.cookie}; ${cookieOf(first.headers)}`,
      body: { code: codeOf(secret, Date.now() + 30_000) },
    };
  },
  "POST /sign-out": async () => ({ body: {} }),
  "PATCH /users/[id]": async () => ({
    params: { id: (await createUserSession(pool(), { role: "support" })).id },
    body: { role: "ops" },
  }),
  "POST /users/[id]/deactivate": async ({ user }) => ({ params: { id: user.id }, body: {} }),
  "POST /users/[id]/password-link": async ({ user }) => ({ params: { id: user.id }, body: {} }),
  "POST /users/[id]/reactivate": async ({ user }) => {
    await pool().query("update posthorn.users set deactivated_at = now() where id = $1", [user.id]);
    return { params: { id: user.id }, body: {} };
  },
  "POST /users/[id]/reset-second-factor": async () => ({
    params: { id: (await withSecondFactor()).user.id },
    body: {},
  }),
  "POST /users/[id]/sign-out": async ({ user }) => ({ params: { id: user.id }, body: {} }),
  "POST /view-as": async ({ affiliate }) => ({ body: { affiliate: affiliate.key } }),
  "DELETE /view-as": async (given) => {
    await view(given);
    return {};
  },
};

/** They have a body and change nothing. */
const reads = new Set([
  "POST /deliveries/search",
  "POST /find",
  "POST /requeues/preview",
  "POST /templates/preview",
]);
/** Events have rows of their own, and are too many for the log; the others have tests of their own. */
const others = new Set(["POST /events", "POST /sign-in/oidc", "POST /forgotten-password"]);

const shortName = ({ name }: NamedHandler) => name.replace(/ \/api\/(v1|console)/, " ");
const changing = handlers.filter(
  (handler) =>
    !reads.has(shortName(handler)) && !others.has(shortName(handler)) && !handler.name.includes("/[...path]"),
);

async function makeGiven(): Promise<Given> {
  const affiliate = await createAffiliate(pool());
  const endpoint = await createEndpoint(pool(), { url: "http://127.0.0.1:9/", affiliate });
  await makeDeadLetters(pool(), { endpoint, count: 1 });
  const dead = (await one("select id::text from posthorn.deliveries where endpoint_id = $1", endpoint.id)).id;
  return {
    admin: await createUserSession(pool(), { role: "admin" }),
    affiliate,
    user: await createUserSession(pool(), { role: "affiliate", affiliateId: affiliate.id }),
    endpoint: endpoint.id,
    dead,
  };
}

/** A hash of each table's rows, but for what counts tries and uses. */
async function tables(): Promise<Record<string, string>> {
  const { rows } = await pool().query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'posthorn' and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname <> 'sign_in_tries' order by 1`,
  );
  const hashes = rows.map(
    ({ name }) => `select '${name}' as name, coalesce(md5(string_agg(text, '' order by text)), '') as hash
      from (select (to_jsonb(t) - 'last_used_at')::text as text from posthorn.${name} t) rows`,
  );
  const all = await pool().query<{ name: string; hash: string }>(hashes.join(" union all "));
  return Object.fromEntries(all.rows.map(({ name, hash }) => [name, hash]));
}

const entries = async () => (await one("select count(*)::int as n from posthorn.audit_log")).n as number;

test("each has its wish, and each wish its handler", () => {
  expect([...new Set(changing.map(shortName))].sort()).toEqual(Object.keys(wishes).sort());
});

describe.each(changing)("$name", (handler) => {
  test("leaves its entry, or nothing at all", async () => {
    const given = await makeGiven();
    const wish = await wishes[shortName(handler)]?.(given);
    const { params = {}, body, cookie = given.admin.cookie } = wish ?? {};
    const call = () =>
      api.call(handler.handler, {
        as: given.admin,
        method: handler.method,
        params,
        headers: { cookie: cookie || null },
        ...(body === undefined ? {} : { body }),
      });
    const before = await tables();
    expect((await whileAuditFails(pool(), call)).status).toBe(500);
    expect(await tables()).toEqual(before);
    const count = await entries();
    const { status, body: answered } = await call();
    expect(status, JSON.stringify(answered)).toBeLessThan(300);
    expect(await entries()).toBeGreaterThan(count);
  });
});
