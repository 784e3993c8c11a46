import { beforeAll, describe, expect, test } from "vitest";
import { fanOut } from "#lib/queue/fan-out.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { createAffiliate, createEndpoint, fanOutOptions, publish } from "#test/helpers/factories.ts";
import type { Handler } from "#test/helpers/handlers.ts";
import { createUserSession, type TestUser } from "#test/helpers/users.ts";
import * as affiliates from "../../app/api/console/affiliates/route.ts";
import * as apiKeys from "../../app/api/console/api-keys/route.ts";
import * as audit from "../../app/api/console/audit/route.ts";
import { POST as resend } from "../../app/api/console/deliveries/[id]/resend/route.ts";
import * as delivery from "../../app/api/console/deliveries/[id]/route.ts";
import * as deliveries from "../../app/api/console/deliveries/route.ts";
import { POST as hold } from "../../app/api/console/endpoints/[id]/breaker/hold/route.ts";
import { POST as pause } from "../../app/api/console/endpoints/[id]/pause/route.ts";
import { POST as renderWaiting } from "../../app/api/console/endpoints/[id]/render-waiting/route.ts";
import { POST as resume } from "../../app/api/console/endpoints/[id]/resume/route.ts";
import { POST as revealSecret } from "../../app/api/console/endpoints/[id]/reveal-secret/route.ts";
import { POST as rotate } from "../../app/api/console/endpoints/[id]/rotate-secret/route.ts";
import * as endpoint from "../../app/api/console/endpoints/[id]/route.ts";
import * as secrets from "../../app/api/console/endpoints/[id]/secrets/route.ts";
import { POST as testEndpoint } from "../../app/api/console/endpoints/[id]/test/route.ts";
import * as endpoints from "../../app/api/console/endpoints/route.ts";
import * as overview from "../../app/api/console/overview/route.ts";

const api = setUpApi();
const url = "http://127.0.0.1:9/";
const clickId = "a-click-of-somebody";

type Belongings = { id: string; key: string; endpointId: string; deliveryId: string; user: TestUser };
let mine: Belongings;
let theirs: Belongings;

async function makeBelongings(): Promise<Belongings> {
  const { pool } = api.database;
  const affiliate = await createAffiliate(pool);
  const made = await createEndpoint(pool, { url, affiliate });
  const deliveryId = await makeDelivery(affiliate.key);
  const user = await createUserSession(pool, { role: "affiliate", affiliateId: affiliate.id });
  return { ...affiliate, endpointId: made.id, deliveryId, user };
}

async function makeDelivery(affiliate: string): Promise<string> {
  const { pool } = api.database;
  const event = await publish(pool, { affiliate, data: `{"click_id":"${clickId}"}` });
  await fanOut(pool, fanOutOptions);
  const { rows } = await pool.query(
    "update posthorn.deliveries set state = 'dead_letter', reason = 'timeout' where event_id = $1 returning id::text",
    [event],
  );
  return rows[0].id;
}

beforeAll(async () => {
  mine = await makeBelongings();
  theirs = await makeBelongings();
});

const on = (handler: Handler, id: string, body: unknown = {}) => ({ handler, params: { id }, body });
const asked = (as: TestUser | "support" | "ops" | "admin", call: ReturnType<typeof on>, method = "POST") =>
  api.call(call.handler, {
    as,
    method: method as "POST",
    params: call.params,
    ...(method === "POST" || method === "PATCH" ? { body: call.body } : {}),
  });

describe("an affiliate's user", () => {
  test("sees what is theirs, unmasked, and of others' not even that it is there", async () => {
    const page = await api.call(endpoints.GET, { as: mine.user });
    expect(page.body.data.map(({ id }: { id: string }) => id)).toEqual([mine.endpointId]);
    const list = await api.call(deliveries.GET, { as: mine.user });
    expect(list.body.data.map(({ id }: { id: string }) => id)).toEqual([mine.deliveryId]);
    const own = await asked(mine.user, on(delivery.GET, mine.deliveryId), "GET");
    expect(own).toMatchObject({ status: 200, body: { masked: false } });
    expect(own.body.request.body).toContain(clickId);
    const staff = await asked("admin", on(delivery.GET, mine.deliveryId), "GET");
    expect(staff.body).toMatchObject({ masked: true });
    expect(JSON.stringify(staff.body)).not.toContain(clickId);
  });

  test.each<[string, Handler, unknown, string?]>([
    ["the endpoint", endpoint.GET, undefined, "GET"],
    ["its secrets", secrets.GET, undefined, "GET"],
    ["an edit", endpoint.PATCH, { name: "x" }, "PATCH"],
    ["deleting it", endpoint.DELETE, undefined, "DELETE"],
    ["pausing", pause, {}],
    ["resuming", resume, {}],
    ["a test", testEndpoint, { live: false }],
    ["rendering again", renderWaiting, {}],
    ["a new secret", rotate, {}],
    ["revealing the secret", revealSecret, { password: "the wrong one" }],
  ])("gets a 404 for another's endpoint: %s", async (_, handler, body, method = "POST") => {
    expect(await asked(mine.user, on(handler, theirs.endpointId, body), method)).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
  });

  test("reveals their own secret with their password, which is recorded, and not with a reason", async () => {
    const { pool } = api.database;
    const password = "four plain words here";
    const user = await createUserSession(pool, { role: "affiliate", affiliateId: mine.id, password });
    const reveal = (body: unknown) => asked(user, on(revealSecret, mine.endpointId, body));
    for (const body of [{}, { reason: "because" }, { password: "not the password" }])
      expect(await reveal(body)).toMatchObject({ status: 422, body: { errors: [{ field: "password" }] } });
    const { rows: none } = await pool.query(
      "select 1 from posthorn.audit_log where action = 'endpoint.reveal_secret' and actor_id = $1",
      [user.id],
    );
    expect(none).toEqual([]);
    expect(await reveal({ password })).toMatchObject({
      status: 200,
      body: { secret: expect.stringMatching(/^whsec_/) },
    });
    const { rows } = await pool.query(
      "select object_id, after from posthorn.audit_log where action = 'endpoint.reveal_secret' and actor_id = $1",
      [user.id],
    );
    expect(rows).toEqual([{ object_id: mine.endpointId, after: { password_confirmed: true } }]);
  });

  test("is stopped after ten wrong passwords, also with the right one", async () => {
    const { pool } = api.database;
    const password = "four other plain words";
    const user = await createUserSession(pool, { role: "affiliate", affiliateId: mine.id, password });
    const reveal = (given: string) => asked(user, on(revealSecret, mine.endpointId, { password: given }));
    for (let tries = 0; tries < 10; tries += 1) expect((await reveal("wrong")).status).toBe(422);
    expect((await reveal(password)).status).toBe(429);
  });

  test("staff reveal it for a reason, and their password is none", async () => {
    const reveal = (body: unknown) => asked("ops", on(revealSecret, mine.endpointId, body));
    expect(await reveal({ password: "x" })).toMatchObject({
      status: 422,
      body: { errors: [{ field: "reason" }] },
    });
    expect((await reveal({ reason: "because" })).status).toBe(200);
  });

  test("cannot resend another's delivery, or make an endpoint for another", async () => {
    expect((await asked(mine.user, on(resend, theirs.deliveryId))).status).toBe(404);
    const made = (affiliate: string) =>
      api.call(endpoints.POST, { as: mine.user, body: { name: "New", affiliate, url } });
    const unknown = await made("nobody-at-all");
    expect(unknown.status).toBe(422);
    expect({ ...(await made(theirs.key)).body, request_id: "" }).toEqual({ ...unknown.body, request_id: "" });
    const { status, body } = await made(mine.key);
    expect(status).toBe(201);
    expect((await asked(mine.user, on(endpoint.PATCH, body.id, { name: "Newer" }), "PATCH")).status).toBe(
      200,
    );
    expect((await asked(mine.user, on(rotate, body.id))).status).toBe(200);
    expect((await asked(mine.user, on(endpoint.DELETE, body.id), "DELETE")).status).toBe(204);
  });

  test.each<[string, Handler, "GET" | "POST", unknown]>([
    ["the overview", overview.GET, "GET", undefined],
    ["the audit log", audit.GET, "GET", undefined],
    ["API keys", apiKeys.GET, "GET", undefined],
    ["a new affiliate", affiliates.POST, "POST", { key: "x", name: "x" }],
  ])("may not: %s", async (_, handler, method, body) => {
    expect(
      await api.call(handler, { as: mine.user, method, ...(body === undefined ? {} : { body }) }),
    ).toMatchObject({
      status: 403,
      body: { code: "forbidden", detail: "Only Posthorn's operators may do this" },
    });
  });

  test("resumes what they paused themselves, and not what staff paused", async () => {
    const call = (handler: Handler) => on(handler, mine.endpointId);
    expect((await asked(mine.user, call(pause))).body).toMatchObject({ status: "paused", resume_bar: null });
    expect((await asked(mine.user, call(resume))).status).toBe(200);
    expect((await asked("support", call(pause))).body).toMatchObject({ resume_bar: "staff_paused" });
    expect(await asked(mine.user, call(resume))).toMatchObject({
      status: 403,
      body: { detail: "Posthorn's operators paused it: ask them to resume it" },
    });
    expect((await asked("support", call(resume))).body).toMatchObject({ status: "active", resume_bar: null });
  });

  test("resumes what is gone only under another URL", async () => {
    await api.database.pool.query(
      "update posthorn.endpoints set status = 'disabled', gone_url = url where id = $1",
      [mine.endpointId],
    );
    const again = () => asked(mine.user, on(resume, mine.endpointId));
    expect(await again()).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining("change the URL") },
    });
    const moved = { url: "http://127.0.0.1:9/moved" };
    await asked(mine.user, on(endpoint.PATCH, mine.endpointId, moved), "PATCH");
    expect((await again()).status).toBe(200);
  });

  test("resends at most 60 of their own an hour, all users of the affiliate together", async () => {
    const { pool } = api.database;
    const colleague = await createUserSession(pool, { role: "affiliate", affiliateId: mine.id });
    expect((await asked(mine.user, on(resend, mine.deliveryId))).status).toBe(200);
    await pool.query(
      `insert into posthorn.audit_log (actor_kind, actor_id, actor_name, action, object_kind, object_id, at)
       select 'user', $1, 'x', 'delivery.resend', 'delivery', '0', now() - interval '59 minutes'
       from generate_series(1, 58)`,
      [colleague.id],
    );
    const [first, second] = [await makeDelivery(mine.key), await makeDelivery(mine.key)];
    const both = await Promise.all([first, second].map((id) => asked(colleague, on(resend, id))));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 429]);
    const refused = both.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get("retry-after"))).toBeLessThanOrEqual(60);
    // Others, and staff, are not held by it.
    expect((await asked(theirs.user, on(resend, theirs.deliveryId))).status).toBe(200);
    const left = both[0]?.status === 429 ? first : second;
    expect((await asked("support", on(resend, left))).status).toBe(200);
  });
});

test("each of the staff may what is theirs, and is told what would be needed for the rest", async () => {
  const held = on(hold, theirs.endpointId, { reason: "because" });
  expect(await asked("support", held)).toMatchObject({
    status: 403,
    body: { detail: "This needs the role ops or admin; yours is support" },
  });
  expect((await asked("ops", held)).status).toBe(200);
  const body = { key: `by-ops-${Date.now()}`, name: "x" };
  expect((await api.call(affiliates.POST, { as: "ops", body })).status).toBe(403);
  expect((await api.call(affiliates.POST, { as: "admin", body })).status).toBe(201);
});

test("what is recorded says who did it and from where", async () => {
  const { pool } = api.database;
  const user = await createUserSession(pool, { role: "ops" });
  await api.call(pause, {
    as: user,
    method: "POST",
    params: { id: theirs.endpointId },
    headers: { "x-posthorn-address": "198.51.100.7", "user-agent": "Browser of ops" },
  });
  const page = await api.call(audit.GET, { query: { actor: user.id } });
  expect(page.body.data).toMatchObject([
    {
      action: "endpoint.pause",
      actor: { kind: "user", id: user.id, name: user.name },
      from: { address: "198.51.100.7", user_agent: "Browser of ops" },
    },
  ]);
});

test("what was recorded before there were users is still shown", async () => {
  await api.database.pool.query(
    `insert into posthorn.audit_log (actor_kind, actor_name, action, object_kind, object_id)
     values ('console', 'Console', 'event_type.delete', 'event_type', 'old')`,
  );
  const page = await api.call(audit.GET, { query: { actor: "console" } });
  expect(page.body.data).toMatchObject([{ actor: { kind: "console", name: "Console" } }]);
});
