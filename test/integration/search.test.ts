import { drizzle } from "drizzle-orm/node-postgres";
import { beforeAll, describe, expect, test } from "vitest";
import * as schema from "#drizzle/schema/index.ts";
import { selectDeliveries } from "#lib/deliveries/queries.ts";
import { selectEvents } from "#lib/events/queries.ts";
import { fanOut } from "#lib/queue/fan-out.ts";
import { createSearchHasher, searchHash } from "#lib/search/hash.ts";
import { selectFoundByHash } from "#lib/search/queries.ts";
import { setUpApi } from "#test/helpers/api.ts";
import {
  createAffiliate,
  createEndpoint,
  fanOutOptions,
  publish,
  testSecretKey,
} from "#test/helpers/factories.ts";
import { POST as find } from "../../app/api/console/find/route.ts";
import { GET as listDeliveries } from "../../app/api/v1/deliveries/route.ts";
import { POST as search } from "../../app/api/v1/deliveries/search/route.ts";
import { GET as listEvents } from "../../app/api/v1/events/route.ts";

const oldKey = Buffer.alloc(32, 3);
process.env.POSTHORN_PREVIOUS_SECRET_KEYS = oldKey.toString("base64");
const keys = [testSecretKey, oldKey];

const api = setUpApi();
const url = "http://127.0.0.1:9/";
let affiliate: { id: string; key: string };

beforeAll(async () => {
  affiliate = await createAffiliate(api.database.pool);
  await createEndpoint(api.database.pool, { url, affiliate, eventTypes: ["ftd"] });
});

async function publishData(
  data: object,
  fields: Partial<Parameters<typeof publish>[1]> = {},
): Promise<string> {
  const event = { affiliate: affiliate.key, type: "ftd", data: JSON.stringify(data), ...fields };
  const id = await publish(api.database.pool, event);
  await fanOut(api.database.pool, fanOutOptions);
  return id;
}

const eventsFound = async (value: string) =>
  (await api.call(search, { body: { value } })).body.data.map((row: { event_id: string }) => row.event_id);
const hits = async (q: string) => (await api.call(find, { body: { q } })).body.data;

describe("an event is found by", () => {
  test("each of its searchable values, exactly, and by no other", async () => {
    const data = {
      click_id: "Clk-1",
      conversion_id: 'cnv é "1"',
      transaction_id: "t\\1",
      payout: "31.07",
      sub1: "sub-1",
    };
    const id = await publishData(data);
    for (const value of [data.click_id, data.conversion_id, data.transaction_id]) {
      expect(await eventsFound(value)).toEqual([id]);
      expect(await hits(value)).toEqual([{ kind: "deliveries_by_value", id: searchHash(value, keys) }]);
    }
    for (const value of ["clk-1", "Clk-", "Clk-1 ", data.payout, data.sub1, "nothing"]) {
      expect(await eventsFound(value)).toEqual([]);
    }
  });

  test("its own id and its delivery's id, in one box", async () => {
    const id = await publishData({ click_id: "boxed" }, { id: "box-event" });
    const { body } = await api.call(search, { body: { value: id } });
    expect(body.data).toMatchObject([{ event_id: id }]);
    expect(await eventsFound(body.data[0].id)).toEqual([id]);
  });

  test("a value that was stored with an earlier secret key", async () => {
    const pool = api.database.pool;
    const id = await publish(pool, { affiliate: affiliate.key, type: "ftd", data: '{"click_id":"older"}' });
    await fanOut(pool, { hashValue: createSearchHasher(oldKey) });
    expect(await eventsFound("older")).toEqual([id]);
  });

  test("its value after its data have been purged", async () => {
    const id = await publishData({ click_id: "purged-later" });
    await api.database.pool.query("delete from posthorn.event_bodies where event_id = $1", [id]);
    expect(await eventsFound("purged-later")).toEqual([id]);
  });

  test("its value though nobody got it", async () => {
    const lonely = await createAffiliate(api.database.pool);
    const one = await publishData({ click_id: "lonely" }, { affiliate: lonely.key });
    expect(await hits("lonely")).toEqual([{ kind: "event", id: one }]);
    const two = await publishData({ click_id: "lonely" }, { affiliate: lonely.key });
    const [hit] = await hits("lonely");
    expect(hit.kind).toBe("events_by_value");
    const { body } = await api.call(listEvents, { query: { q_hash: hit.id } });
    expect(body.data.map((event: { id: string }) => event.id)).toEqual([two, one]);
  });
});

test("a value of more than 512 characters is not stored, and one that stands twice is stored once", async () => {
  const stored = async (id: string) =>
    (await api.database.pool.query("select 1 from posthorn.search_keys where event_id = $1", [id])).rowCount;
  expect(await stored(await publishData({ click_id: "x".repeat(513), conversion_id: "y".repeat(512) }))).toBe(
    1,
  );
  expect(await stored(await publishData({ click_id: "same", conversion_id: "same" }))).toBe(1);
  expect(
    await stored(await publishData({ click_id: "", conversion_id: null, transaction_id: { a: 1 } })),
  ).toBe(0);
});

test("the list takes the hash with its other filters, page by page, newest first", async () => {
  const other = await createAffiliate(api.database.pool);
  await createEndpoint(api.database.pool, { url, affiliate: other });
  const mine = [];
  for (let i = 0; i < 3; i++) mine.unshift(await publishData({ click_id: "paged" }));
  const theirs = await publishData({ click_id: "paged" }, { affiliate: other.key });
  const { body: first } = await api.call(search, { body: { value: "paged", limit: 2 } });
  expect(first.data.map((row: { event_id: string }) => row.event_id)).toEqual([theirs, mine[0]]);
  const query = { q_hash: first.hash, limit: "2" };
  const { body: next } = await api.call(listDeliveries, { query: { ...query, cursor: first.next_cursor } });
  expect(next.data.map((row: { event_id: string }) => row.event_id)).toEqual([mine[1], mine[2]]);
  expect(next.next_cursor).toBeNull();
  const filtered = await api.call(listDeliveries, { query: { ...query, affiliate: other.key } });
  expect(filtered.body.data).toMatchObject([{ event_id: theirs }]);
  const none = await api.call(listDeliveries, { query: { ...query, state: "dead_letter" } });
  expect(none.body.data).toEqual([]);
});

test("bad input is refused by name, and what was searched is never repeated", async () => {
  for (const body of [{}, { value: "" }, { value: "z".repeat(513) }, { value: "a\0canary" }, { value: 1 }]) {
    const answer = await api.call(search, { body });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ field: "value" }] } });
    expect(JSON.stringify(answer.body)).not.toContain("canary");
  }
  for (const hash of ["", "abc", "g".repeat(32), "a".repeat(33), "a".repeat(33 * 32), "A".repeat(32)]) {
    const answer = await api.call(listDeliveries, { query: { q_hash: hash } });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ field: "q_hash" }] } });
  }
});

describe("among 200,000 events", () => {
  const sought = createSearchHasher(testSecretKey)("row 77777").toString("hex");

  beforeAll(async () => {
    const endpoint = await createEndpoint(api.database.pool, { url });
    await api.database.pool.query(
      `insert into posthorn.search_keys (key, event_id, received_at)
       select case n when 77777 then decode($1, 'hex') else substring(sha256(int4send(n)) for 16) end, 'row-' || n,
         now() - n * interval '1 second' from generate_series(1, 200000) n`,
      [sought],
    );
    await api.database.pool.query(
      `insert into posthorn.events (id, received_at, affiliate_id, type, occurred_at, data_bytes)
       select 'row-' || n, now() - n * interval '1 second', $1, 'ftd', now(), 2 from generate_series(1, 200000) n`,
      [endpoint.affiliateId],
    );
    await api.database.pool.query(
      `insert into posthorn.deliveries (event_id, event_received_at, event_type, affiliate_id, endpoint_id, state)
       select 'row-' || n, now(), 'ftd', $1, $2, 'delivered' from generate_series(1, 200000) n`,
      [endpoint.affiliateId, endpoint.id],
    );
  });

  test.each(["before statistics are there", "with statistics"])(
    "a search scans no table, %s",
    async (when) => {
      const { pool } = api.database;
      if (when === "with statistics") await pool.query("analyze");
      const plans: string[] = [];
      const explain = async (text: string, values: unknown[]) => {
        const { rows } = await pool.query(`explain ${text}`, values);
        plans.push(rows.map((row) => row["QUERY PLAN"]).join("\n"));
      };
      const asked: [string, unknown[]][] = [];
      const logger = { logQuery: (text: string, values: unknown[]) => void asked.push([text, values]) };
      const orm = drizzle({ client: pool, schema, logger });
      const found = await selectDeliveries(orm, {
        limit: 50,
        scope: null,
        sought: { hash: sought, event: "none" },
      });
      expect(found.data).toMatchObject([{ event_id: "row-77777" }]);
      expect((await selectEvents(orm, { scope: null, limit: 50, q_hash: sought })).data).toMatchObject([
        { id: "row-77777" },
      ]);
      await selectFoundByHash(
        {
          query: (asking: { text: string; values: unknown[] }) => {
            asked.push([asking.text, asking.values]);
            return pool.query(asking.text, asking.values);
          },
        } as never,
        sought,
      );
      for (const [text, values] of asked) await explain(text, values);
      expect(plans).toHaveLength(3);
      // An empty month is scanned for nothing.
      const { rows: full } = await pool.query<{ name: string }>(
        `select replace(tableoid::regclass::text, 'posthorn.', '') as name from (
         select tableoid from posthorn.search_keys union all select tableoid from posthorn.deliveries
         union all select tableoid from posthorn.events) as row group by 1 having count(*) > 1000`,
      );
      expect(full.length).toBeGreaterThanOrEqual(3);
      const scanned = plans.flatMap((plan) =>
        [...plan.matchAll(/Seq Scan on (\w+)/g)].map((match) => match[1]),
      );
      expect(full.map(({ name }) => name).filter((name) => scanned.includes(name))).toEqual([]);
      for (const plan of plans) expect(plan).toMatch(/Index (Only )?Scan.* using search_keys/);
    },
  );
});
