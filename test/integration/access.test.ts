import { v7 as uuidV7 } from "uuid";
import { beforeAll, describe, expect, test } from "vitest";
import { diagnoseDeadLetters } from "#lib/queue/diagnosis.ts";
import { fanOut } from "#lib/queue/fan-out.ts";
import { encryptSecret } from "#lib/secrets.ts";
import { type Caller, callers, routeAccess } from "#test/fixtures/access.ts";
import { type Answer, setUpApi } from "#test/helpers/api.ts";
import { addDeadLetters } from "#test/helpers/dead-letters.ts";
import {
  createAffiliate,
  createApiKey,
  createEndpoint,
  fanOutOptions,
  publish,
  testSecretKey,
} from "#test/helpers/factories.ts";
import { type Handler, handlersOf, type NamedHandler } from "#test/helpers/handlers.ts";
import { createPortalSession, createUserSession } from "#test/helpers/users.ts";
import { POST as createEventType } from "../../app/api/v1/event-types/route.ts";

/**
 * The table of test/fixtures/access.ts against every route handler that there is: each caller asks for records that
 * exist, of one affiliate, with a body that would do.
 */
const files = import.meta.glob<Record<string, Handler>>("../../app/**/route.ts", { eager: true });
const handlers = handlersOf(files, "../../app");
const api = setUpApi();

type World = { ids: Record<string, string>; headers: Record<Caller, Record<string, string | null>> };
let world: World;
let made = 0;

/** By the route's folder and parameter. */
async function makeRecords(affiliate: { id: string; key: string }): Promise<World["ids"]> {
  const { pool } = api.database;
  const endpoint = await createEndpoint(pool, { url: "http://127.0.0.1:9/", affiliate });
  const event = await publish(pool, { affiliate: affiliate.key, data: '{"click_id":"c"}' });
  await fanOut(pool, fanOutOptions);
  const { rows } = await pool.query<{ delivery: string; secret: string }>(
    `select d.id::text as delivery, s.id as secret from posthorn.deliveries d
     join posthorn.endpoint_secrets s on s.endpoint_id = d.endpoint_id where d.event_id = $1`,
    [event],
  );
  const eventType = `access_${++made}`;
  expect((await api.call(createEventType, { body: { name: eventType } })).status).toBe(201);
  await addDeadLetters(pool, { ...endpoint, endpointId: endpoint.id, count: 5, reason: "unauthorized" });
  await diagnoseDeadLetters(pool);
  const alerts = await pool.query("select id from posthorn.alerts where endpoint_id = $1", [endpoint.id]);
  const requeue = uuidV7();
  await pool.query(
    `insert into posthorn.requeues (id, operation, mode, filter, as_of, last_id, reason, actor_kind, actor_name, total)
     values ($1, 'requeue', 'same_url', '{}', now(), 0, 'x', 'system', 'x', 0)`,
    [requeue],
  );
  const change = uuidV7();
  await pool.query(
    `insert into posthorn.endpoint_changes (id, endpoint_id, affiliate_id, from_url, to_url, edit, requested_by)
     values ($1, $2, $3, 'x', 'x', $4, 'x')`,
    [
      change,
      endpoint.id,
      affiliate.id,
      encryptSecret(Buffer.from("{}"), { key: testSecretKey, context: change }),
    ],
  );
  const portalLink = uuidV7();
  await pool.query(
    `insert into posthorn.portal_links (id, affiliate_id, token_hash, created_by, expires_at)
     values ($1, $2, $3, 'x', now() + interval '1 day')`,
    [portalLink, affiliate.id, Buffer.from(portalLink)],
  );
  const invitation = uuidV7();
  await pool.query(
    `insert into posthorn.invitations (id, token_hash, email, role, created_by, expires_at)
     values ($1, $2, 'x@posthorn.example', 'ops', 'x', now() + interval '1 day')`,
    [invitation, Buffer.from(invitation)],
  );
  return {
    "affiliates/[key]": affiliate.key,
    "alerts/[id]": alerts.rows[0]?.id,
    "api-keys/[id]": (await createApiKey(pool, { purpose: "read" })).id,
    "approvals/[id]": change,
    "portal-link/[id]": portalLink,
    "deliveries/[id]": rows[0]?.delivery ?? "",
    "endpoints/[id]": endpoint.id,
    "event-types/[name]": eventType,
    "events/[id]": event,
    "invitations/[id]": invitation,
    "requeues/[id]": requeue,
    "secrets/[secretId]": rows[0]?.secret ?? "",
    "users/[id]": (await createUserSession(pool, { role: "support" })).id,
    "api/[...path]": "nothing",
  };
}

async function makeWorld(): Promise<World> {
  const { pool } = api.database;
  const [mine, theirs] = [await createAffiliate(pool), await createAffiliate(pool)];
  const user = async (given: Parameters<typeof createUserSession>[1]) => {
    const made = await createUserSession(pool, given);
    return { ...made, headers: { cookie: made.cookie, authorization: null } };
  };
  const key = async (given: Parameters<typeof createApiKey>[1]) => ({
    cookie: null,
    authorization: `Bearer ${(await createApiKey(pool, given)).key}`,
  });
  const viewer = await user({ role: "support" });
  await pool.query(
    `update posthorn.sessions set viewed_affiliate_id = $2, view_ends_at = now() + interval '1 hour'
     where id = $1`,
    [viewer.sessionId, mine.id],
  );
  return {
    ids: await makeRecords(mine),
    headers: {
      anonymous: { cookie: null, authorization: null },
      admin: (await user({ role: "admin" })).headers,
      ops: (await user({ role: "ops" })).headers,
      support: (await user({ role: "support" })).headers,
      affiliate: (await user({ role: "affiliate", affiliateId: mine.id })).headers,
      other: (await user({ role: "affiliate", affiliateId: theirs.id })).headers,
      viewer: viewer.headers,
      link: { cookie: await createPortalSession(pool, mine.id), authorization: null },
      publish: await key({ purpose: "publish" }),
      read: await key({ purpose: "read" }),
      limited: await key({ purpose: "read", affiliateId: mine.id }),
      manage: await key({}),
      revoked: await key({ revokedAt: "now()" }),
    },
  };
}

/** Bodies without which the record would not even be looked at; elsewhere an empty one is enough to be let in. */
const bodies: Record<string, () => unknown> = {
  "/account": () => ({ name: "Renamed" }),
  "/account/password": () => ({ current: "three little horns", password: "four little horns" }),
  "/account/two-factor": () => ({ password: "three little horns" }),
  "/account/two-factor/disable": () => ({ password: "three little horns" }),
  "/account/two-factor/enable": () => ({ code: "123456" }),
  "/affiliates": () => ({ key: `access-${++made}`, name: "Made" }),
  "/affiliates/[key]": () => ({ name: "Renamed" }),
  "/api-keys": () => ({ name: "Made", purpose: "read" }),
  "/event-types": () => ({ name: `access_made_${++made}` }),
  "/event-types/[name]": () => ({ description: "Changed" }),
  "/forgotten-password": () => ({ email: "nobody@posthorn.example" }),
  "/invitations": () => ({ email: `access-${++made}@posthorn.example`, role: "support" }),
  "/requeues": () => ({ filter: { endpoint: world.ids["endpoints/[id]"] }, reason: "because" }),
  "/approvals/[id]/refuse": () => ({ reason: "because" }),
  "/deliveries/[id]/reveal": () => ({ reason: "because" }),
  "/endpoints/[id]": () => ({ name: "Renamed" }),
  "/endpoints/[id]/reveal-secret": () => ({ reason: "because" }),
  "/endpoints/[id]/test": () => ({ live: false }),
  "/events/[id]/reveal": () => ({ reason: "because" }),
  "/notices/settings": () => ({ kinds: ["failing"] }),
  "/users/[id]": () => ({ role: "ops" }),
  "/view-as": () => ({ affiliate: world.ids["affiliates/[key]"] }),
};

async function ask({ name, method, handler }: NamedHandler, caller: Caller): Promise<Answer> {
  const route = name.slice(name.indexOf(" ") + 1);
  const params: Record<string, string> = {};
  for (const [place, parameter = ""] of route.matchAll(/[^/]+\/\[(?:\.\.\.)?([^\]]+)\]/g)) {
    const id = world.ids[place];
    if (id === undefined) throw new Error(`no record is known for ${place} of ${route}`);
    params[parameter] = id;
  }
  const body = bodies[route.replace(/^\/api\/(v1|console)/, "")]?.() ?? {};
  const answer = await api.call(handler, {
    method,
    params,
    headers: world.headers[caller],
    ...(["GET", "DELETE"].includes(method) ? {} : { body }),
  });
  // What was deleted, ended or changed is there again for whoever asks next.
  if (method !== "GET" && answer.status < 300) world = await makeWorld();
  return answer;
}

beforeAll(async () => {
  world = await makeWorld();
});

test("every handler has a row, and every row a handler", () => {
  expect(handlers.map(({ name }) => name).sort()).toEqual(Object.keys(routeAccess).sort());
  expect(handlers.length).toBeGreaterThan(90);
});

/** Where nothing is served here, whoever asks. */
const unserved = (name: string) =>
  ["/[...path]", "/sign-in/oidc", "/forgotten-password"].some((path) => name.endsWith(path));

/**
 * 401 without a live key or session of the kind that the route asks for; 404 where there is nothing for one's own eyes;
 * 403 for what one may not do at all.
 */
function refusalOf(name: string, caller: Caller): number {
  if (unserved(name)) return 404;
  const isKey = ["publish", "read", "limited", "manage"].includes(caller);
  if (["anonymous", "revoked"].includes(caller) || isKey !== name.includes("/api/v1/")) return 401;
  return caller === "other" && routeAccess[name]?.includes("affiliate") ? 404 : 403;
}

describe.each(handlers)("$name", (one) => {
  test.each(callers)("%s", async (caller) => {
    const { status, body } = await ask(one, caller);
    expect(status).toBeLessThan(500);
    if (routeAccess[one.name]?.includes(caller)) expect([401, 403, 404]).not.toContain(status);
    else expect(status, JSON.stringify(body)).toBe(refusalOf(one.name, caller));
  });
});

test("a key that is not for it is told what is needed", async () => {
  for (const one of handlers.filter(({ name }) => name.includes("/api/v1/"))) {
    for (const caller of ["publish", "read", "limited"] as const) {
      if (routeAccess[one.name]?.includes(caller)) continue;
      const { body } = await ask(one, caller);
      expect(body, one.name).toMatchObject({ status: 403, code: "forbidden" });
      expect(body.detail).toMatch(/ needs one for (publish or |read or )?manage( without that limit)?$/);
    }
  }
});
