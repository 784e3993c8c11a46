import { beforeAll, describe, expect, test } from "vitest";
import { fanOut } from "#lib/queue/fan-out.ts";
import { createSearchHasher } from "#lib/search/hash.ts";
import { routeAccess } from "#test/fixtures/access.ts";
import { setUpApi } from "#test/helpers/api.ts";
import {
  createAffiliate,
  createApiKey,
  createEndpoint,
  fanOutOptions,
  publish,
  testSecretKey,
} from "#test/helpers/factories.ts";
import { type Handler, handlersOf } from "#test/helpers/handlers.ts";

const files = import.meta.glob<Record<string, Handler>>("../../app/api/v1/**/route.ts", { eager: true });
const open = handlersOf(files, "../../app/api/v1").filter(({ name }) =>
  routeAccess[name.replace(" ", " /api/v1")]?.includes("limited"),
);
const api = setUpApi();
const clickId = "click-of-somebody";
const hash = createSearchHasher(testSecretKey)(clickId).toString("hex");

type Belongings = {
  key: string;
  affiliateId: string;
  endpointId: string;
  eventId: string;
  deliveryId: string;
};
let mine: Belongings;
let theirs: Belongings;
const noId = "01890a5d-ac96-774b-bcce-b302099a8057";
const nobodys = { key: "nobody", affiliateId: noId, endpointId: noId, eventId: "none", deliveryId: "999999" };
let headers: Record<string, string>;

async function makeBelongings(): Promise<Belongings> {
  const { pool } = api.database;
  const affiliate = await createAffiliate(pool);
  const { id: endpointId } = await createEndpoint(pool, { url: "http://127.0.0.1:9/", affiliate });
  const eventId = await publish(pool, { affiliate: affiliate.key, data: `{"click_id":"${clickId}"}` });
  await fanOut(pool, fanOutOptions);
  await pool.query(
    `insert into posthorn.breaker_transitions (endpoint_id, from_state, to_state, cause, cooldown_seconds)
     values ($1, 'closed', 'open', 'held', 300)`,
    [endpointId],
  );
  const { rows } = await pool.query("select id::text from posthorn.deliveries where event_id = $1", [
    eventId,
  ]);
  return { key: affiliate.key, affiliateId: affiliate.id, endpointId, eventId, deliveryId: rows[0].id };
}

beforeAll(async () => {
  mine = await makeBelongings();
  theirs = await makeBelongings();
  const { key } = await createApiKey(api.database.pool, { purpose: "read", affiliateId: mine.affiliateId });
  headers = { authorization: `Bearer ${key}` };
});

type Asked = { params?: Record<string, string>; query?: Record<string, string>; body?: unknown };

/** How to ask each route that such a key may call for what belongs to somebody: a record, or lists narrowed to it. */
const records: Record<string, (of: Belongings) => Asked> = {
  "GET /affiliates/[key]": ({ key }) => ({ params: { key } }),
  "GET /deliveries/[id]": ({ deliveryId }) => ({ params: { id: deliveryId } }),
  "GET /endpoints/[id]": ({ endpointId }) => ({ params: { id: endpointId } }),
  "GET /endpoints/[id]/breaker-history": ({ endpointId }) => ({ params: { id: endpointId } }),
  "GET /events/[id]": ({ eventId }) => ({ params: { id: eventId } }),
  "GET /stats/history": ({ endpointId }) => ({ query: { endpoint: endpointId } }),
};
const lists: Record<string, { all: Asked; narrowed: (of: Belongings) => Asked[] }> = {
  "GET /affiliates": { all: {}, narrowed: ({ key }) => [{ query: { q: key } }] },
  "GET /endpoints": { all: {}, narrowed: ({ key }) => [{ query: { affiliate: key } }] },
  "GET /events": {
    all: { query: { q_hash: hash } },
    narrowed: ({ key }) => [{ query: { affiliate: key } }, { query: { affiliate: key, q_hash: hash } }],
  },
  "GET /deliveries": {
    all: { query: { q_hash: hash } },
    narrowed: ({ key, endpointId, eventId }) => [
      { query: { affiliate: key } },
      { query: { endpoint: endpointId } },
      { query: { event: eventId } },
      { query: { affiliate: key, state: "pending" } },
      { query: { affiliate: key, q_hash: hash } },
    ],
  },
  "POST /deliveries/search": {
    all: { body: { value: clickId } },
    narrowed: ({ key, endpointId, eventId, deliveryId }) => [
      { body: { value: eventId } },
      { body: { value: deliveryId } },
      { body: { value: clickId, affiliate: key } },
      { body: { value: clickId, endpoint: endpointId } },
    ],
  },
};
/** The catalogue, and what is worked out of nothing but the request, belong to nobody. */
const shared = ["GET /event-types", "GET /event-types/[name]", "POST /templates/preview"];

/** In api-dead-letters.test.ts, since they need dead letters. */
const elsewhere = [
  "GET /alerts",
  "GET /alerts/[id]",
  "GET /dead-letters",
  "GET /dead-letters.csv",
  "GET /dead-letters/findings",
  "GET /dead-letters/groups",
];

test("every route that such a key may call is looked at here", () => {
  const looked = [...Object.keys(records), ...Object.keys(lists), ...shared, ...elsewhere];
  expect(open.map(({ name }) => name).sort()).toEqual(looked.sort());
});

function handler(name: string): Handler {
  return open.find((candidate) => candidate.name === name)?.handler as Handler;
}

describe("a key of one affiliate", () => {
  test.each(Object.entries(records))("%s: another's record is not there", async (name, ask) => {
    expect(await api.call(handler(name), { ...ask(mine), headers })).toMatchObject({ status: 200 });
    expect(await api.call(handler(name), ask(theirs))).toMatchObject({ status: 200 });
    const answer = await api.call(handler(name), { ...ask(theirs), headers });
    expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
    // Nothing tells it from what never was.
    const never = await api.call(handler(name), { ...ask(nobodys), headers });
    expect({ ...answer.body, request_id: "" }).toEqual({ ...never.body, request_id: "" });
  });

  test.each(Object.entries(lists))("%s: another's rows are not in it", async (name, { all, narrowed }) => {
    const everything = await api.call(handler(name), all);
    expect(everything.body.data).toHaveLength(2);
    const own = await api.call(handler(name), { ...all, headers });
    expect(own).toMatchObject({ status: 200 });
    expect(own.body.data).toHaveLength(1);
    expect(JSON.stringify(own.body.data)).toContain(mine.affiliateId);
    expect(JSON.stringify(own.body)).not.toContain(theirs.affiliateId);
    for (const asked of narrowed(mine)) {
      expect(
        (await api.call(handler(name), { ...asked, headers })).body.data,
        JSON.stringify(asked),
      ).toHaveLength(1);
    }
    for (const asked of narrowed(theirs)) {
      expect((await api.call(handler(name), asked)).body.data, JSON.stringify(asked)).toHaveLength(1);
      const answer = await api.call(handler(name), { ...asked, headers });
      expect(answer, JSON.stringify(asked)).toMatchObject({ status: 200, body: { data: [] } });
    }
  });

  test("an event tells of its own affiliate's endpoints alone", async () => {
    const answer = await api.call(handler("GET /events/[id]"), { params: { id: mine.eventId }, headers });
    expect(answer.body.recipients.map(({ endpoint }: { endpoint: { id: string } }) => endpoint.id)).toEqual([
      mine.endpointId,
    ]);
  });
});
