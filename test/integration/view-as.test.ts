import { beforeAll, describe, expect, test } from "vitest";
import { fanOut } from "#lib/queue/fan-out.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { createAffiliate, createEndpoint, fanOutOptions, publish } from "#test/helpers/factories.ts";
import type { Handler } from "#test/helpers/handlers.ts";
import { createUserSession, type TestUser } from "#test/helpers/users.ts";
import { eventually } from "#test/helpers/workers.ts";
import { POST as resend } from "../../app/api/console/deliveries/[id]/resend/route.ts";
import { POST as reveal } from "../../app/api/console/deliveries/[id]/reveal/route.ts";
import * as delivery from "../../app/api/console/deliveries/[id]/route.ts";
import * as deliveries from "../../app/api/console/deliveries/route.ts";
import { POST as pause } from "../../app/api/console/endpoints/[id]/pause/route.ts";
import * as endpoint from "../../app/api/console/endpoints/[id]/route.ts";
import * as endpoints from "../../app/api/console/endpoints/route.ts";
import { GET as overview } from "../../app/api/console/overview/route.ts";
import * as viewAs from "../../app/api/console/view-as/route.ts";

const api = setUpApi();
const clickId = "a-click-of-somebody";
type Belongings = { id: string; key: string; name: string; endpointId: string; deliveryId: string };
let shown: Belongings;
let hidden: Belongings;

async function makeBelongings(): Promise<Belongings> {
  const { pool } = api.database;
  const affiliate = await createAffiliate(pool);
  const { id: endpointId } = await createEndpoint(pool, { url: "http://127.0.0.1:9/", affiliate });
  const event = await publish(pool, { affiliate: affiliate.key, data: `{"click_id":"${clickId}"}` });
  await fanOut(pool, fanOutOptions);
  const { rows } = await pool.query("select id::text from posthorn.deliveries where event_id = $1", [event]);
  const { name } = (await pool.query("select name from posthorn.affiliates where id = $1", [affiliate.id]))
    .rows[0];
  return { ...affiliate, name, endpointId, deliveryId: rows[0].id };
}

beforeAll(async () => {
  shown = await makeBelongings();
  hidden = await makeBelongings();
});

const begin = (as: TestUser, { key }: { key: string } = shown) =>
  api.call(viewAs.POST, { as, body: { affiliate: key } });
const stop = (as: TestUser) => api.call(viewAs.DELETE, { as, method: "DELETE" });
const get = (as: TestUser, handler: Handler, id?: string) =>
  api.call(handler, { as, ...(id === undefined ? {} : { params: { id } }) });
const staff = (role: "support" | "ops" | "admin" = "support") =>
  createUserSession(api.database.pool, { role });
const auditOf = async ({ id }: TestUser) =>
  (
    await api.database.pool.query(
      "select action, object_id, affiliate_id, after from posthorn.audit_log where actor_id = $1 order by id",
      [id],
    )
  ).rows;

describe.each(["support", "ops", "admin"] as const)("%s, viewing as an affiliate", (role) => {
  test("sees that affiliate's things alone, masked, and changes nothing", async () => {
    const user = await staff(role);
    expect((await begin(user)).status).toBe(204);
    const ids = async (handler: Handler) =>
      (await get(user, handler)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids(endpoints.GET)).toEqual([shown.endpointId]);
    expect(await ids(deliveries.GET)).toEqual([shown.deliveryId]);
    expect((await get(user, endpoint.GET, hidden.endpointId)).status).toBe(404);
    expect((await get(user, delivery.GET, hidden.deliveryId)).status).toBe(404);
    const own = await get(user, delivery.GET, shown.deliveryId);
    expect(own).toMatchObject({ status: 200, body: { masked: true } });
    expect(JSON.stringify(own.body)).not.toContain(clickId);
    const detail = `You are viewing as ${shown.name}, which is for reading; stop viewing first`;
    for (const [handler, id, body] of [
      [pause, shown.endpointId, {}],
      [resend, shown.deliveryId, {}],
      [reveal, shown.deliveryId, { reason: "because" }],
    ] as const) {
      const answer = await api.call(handler, { as: user, method: "POST", params: { id }, body });
      expect(answer).toMatchObject({ status: 403, body: { detail } });
    }
    // Neither what is the deployment's, nor another view.
    expect((await get(user, overview)).status).toBe(403);
    expect((await begin(user, hidden)).status).toBe(403);

    expect((await stop(user)).status).toBe(204);
    expect((await stop(user)).status).toBe(204);
    expect((await get(user, overview)).status).toBe(200);
    expect(await auditOf(user)).toEqual([
      {
        action: "affiliate.view_as",
        object_id: shown.id,
        affiliate_id: shown.id,
        after: { until: expect.any(String) },
      },
      { action: "affiliate.stop_viewing", object_id: shown.id, affiliate_id: shown.id, after: null },
    ]);
  });
});

test("it holds for that session alone", async () => {
  const { pool } = api.database;
  const user = await staff();
  const other = await staff();
  await pool.query("update posthorn.sessions set user_id = $1 where user_id = $2", [user.id, other.id]);
  await begin(user);
  expect((await get(user, overview)).status).toBe(403);
  expect((await get(other, overview)).status).toBe(200);
});

test("it ends after an hour by itself, which is recorded once", async () => {
  const { pool } = api.database;
  const user = await staff();
  await begin(user);
  const { rows } = await pool.query(
    "select extract(epoch from view_ends_at - now())::int as seconds from posthorn.sessions where id = $1",
    [user.sessionId],
  );
  expect(rows[0].seconds).toBeGreaterThan(3_590);
  expect(rows[0].seconds).toBeLessThanOrEqual(3_600);
  await pool.query("update posthorn.sessions set view_ends_at = now() where id = $1", [user.sessionId]);
  // All of them find it over before one of them has ended it.
  const client = await pool.connect();
  await client.query("begin");
  await client.query("select from posthorn.sessions where id = $1 for update", [user.sessionId]);
  const asked = Array.from({ length: 5 }, () => get(user, overview));
  await eventually(async () => {
    const waiting = await pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return waiting.rows.length === 5;
  });
  await client.query("commit");
  client.release();
  const answers = await Promise.all(asked);
  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
  expect((await auditOf(user)).map(({ action }) => action)).toEqual([
    "affiliate.view_as",
    "affiliate.stop_viewing",
  ]);
});

test("it ends when the affiliate is deleted, and when the viewer becomes an affiliate's user", async () => {
  const { pool } = api.database;
  const affiliate = await createAffiliate(pool);
  const user = await staff();
  await begin(user, affiliate);
  await pool.query("update posthorn.affiliates set deleted_at = now() where id = $1", [affiliate.id]);
  expect((await get(user, overview)).status).toBe(200);

  await begin(user, shown);
  await pool.query("update posthorn.users set role = 'affiliate', affiliate_id = $2 where id = $1", [
    user.id,
    hidden.id,
  ]);
  const page = await get(user, endpoints.GET);
  expect(page.body.data.map(({ id }: { id: string }) => id)).toEqual([hidden.endpointId]);
});

test("is not for affiliates, nor as somebody who is not there", async () => {
  const user = await createUserSession(api.database.pool, { role: "affiliate", affiliateId: hidden.id });
  expect((await begin(user)).status).toBe(403);
  expect((await begin(await staff(), { key: "nobody-at-all" })).status).toBe(404);
});
