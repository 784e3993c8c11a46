import { beforeAll, expect, test } from "vitest";
import { fanOut } from "#lib/queue/fan-out.ts";
import { createSearchHasher } from "#lib/search/hash.ts";
import { setUpApi } from "#test/helpers/api.ts";
import {
  createAffiliate,
  createEndpoint,
  fanOutOptions,
  publish,
  testSecretKey,
} from "#test/helpers/factories.ts";
import { createUserSession, type TestUser } from "#test/helpers/users.ts";
import { POST as resend } from "../../app/api/console/deliveries/[id]/resend/route.ts";
import { GET as detail } from "../../app/api/console/deliveries/[id]/route.ts";
import { POST as search } from "../../app/api/console/deliveries/search/route.ts";
import { GET as exported } from "../../app/api/console/deliveries.csv/route.ts";

const api = setUpApi();
const clickId = "click-of-both";

type Belongings = { key: string; endpointId: string; eventId: string; deliveryId: string; user: TestUser };
let mine: Belongings;
let theirs: Belongings;

async function makeBelongings(): Promise<Belongings> {
  const { pool } = api.database;
  const affiliate = await createAffiliate(pool);
  const { id: endpointId } = await createEndpoint(pool, { url: "http://127.0.0.1:9/", affiliate });
  await pool.query('update posthorn.endpoints set name = \'=HYPERLINK("x","y")\' where id = $1', [
    endpointId,
  ]);
  const eventId = await publish(pool, { affiliate: affiliate.key, data: `{"click_id":"${clickId}"}` });
  await fanOut(pool, fanOutOptions);
  const { rows } = await pool.query(
    "update posthorn.deliveries set state = 'dead_letter', reason = 'timeout' where event_id = $1 returning id::text",
    [eventId],
  );
  const user = await createUserSession(pool, { role: "affiliate", affiliateId: affiliate.id });
  return { key: affiliate.key, endpointId, eventId, deliveryId: rows[0].id, user };
}

beforeAll(async () => {
  mine = await makeBelongings();
  theirs = await makeBelongings();
});

test("an affiliate finds their own by a click id, an event's id or a delivery's, and nobody else's", async () => {
  const found = async (value: string) =>
    (await api.call(search, { as: mine.user, body: { value } })).body.data.map(
      ({ id }: { id: string }) => id,
    );
  for (const value of [clickId, mine.eventId, mine.deliveryId])
    expect(await found(value), value).toEqual([mine.deliveryId]);
  for (const value of [theirs.eventId, theirs.deliveryId, "no-such-click"])
    expect(await found(value), value).toEqual([]);
  const { body } = await api.call(search, { as: mine.user, body: { value: clickId } });
  expect(body.hash).toBe(createSearchHasher(testSecretKey)(clickId).toString("hex"));
  const narrowed = { value: clickId, affiliate: theirs.key };
  expect((await api.call(search, { as: mine.user, body: narrowed })).body.data).toEqual([]);
});

test.each([
  ["no value", {}],
  ["an empty one", { value: "" }],
  ["one that is no text", { value: 5 }],
  ["more than is known", { value: "x", q_hash: "0".repeat(32) }],
])("a search with %s is refused", async (_, body) => {
  expect((await api.call(search, { as: mine.user, body })).status).toBe(422);
});

test("an export holds one's own alone, no value of the event, and nothing that a spreadsheet calculates", async () => {
  const { status, body, headers } = await api.call(exported, { as: mine.user });
  expect(status).toBe(200);
  expect(headers.get("content-disposition")).toBe('attachment; filename="deliveries.csv"');
  const [head, ...rows] = body.trimEnd().split("\r\n");
  expect(head).toMatch(/^id,created_at,event_id,/);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toContain(`"'=HYPERLINK(""x"",""y"")"`);
  expect(rows[0]).toMatch(new RegExp(`^${mine.deliveryId},.*,dead_letter,false,false,timeout,0,`));
  expect(body).not.toContain(clickId);
  for (const query of [{ endpoint: theirs.endpointId }, { affiliate: theirs.key }, { event: theirs.eventId }])
    expect((await api.call(exported, { as: mine.user, query })).body.trimEnd().split("\r\n")).toHaveLength(1);
  expect((await api.call(exported, { as: "support" })).body.trimEnd().split("\r\n")).toHaveLength(3);
  expect((await api.call(exported, { as: mine.user, query: { state: "nonsense" } })).status).toBe(422);
});

test("a delivery says how many resends are left, and when the next one is possible", async () => {
  const params = { id: mine.deliveryId };
  const left = async () => (await api.call(detail, { as: mine.user, params })).body.resends;
  expect(await left()).toEqual({ limit: 60, left: 60, next_at: null });
  expect((await api.call(detail, { params })).body.resends).toBeNull();
  expect((await api.call(resend, { as: mine.user, params, body: {} })).status).toBe(200);
  expect(await left()).toMatchObject({ limit: 60, left: 59 });
  await api.database.pool.query(
    `insert into posthorn.audit_log (actor_kind, actor_id, actor_name, action, object_kind, object_id, at)
     select 'user', $1, 'x', 'delivery.resend', 'delivery', '0', now() - interval '50 minutes'
     from generate_series(1, 70)`,
    [mine.user.id],
  );
  const used = await left();
  expect(used).toMatchObject({ limit: 60, left: 0 });
  expect(Date.parse(used.next_at) - Date.now()).toBeLessThanOrEqual(10 * 60_000);
  expect(
    (await api.call(detail, { as: theirs.user, params: { id: theirs.deliveryId } })).body.resends.left,
  ).toBe(60);
  expect((await api.call(detail, { as: mine.user, params: { id: theirs.deliveryId } })).status).toBe(404);
});
