import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { setUpApi } from "#test/helpers/api.ts";
import { createAffiliate, createEndpoint, type TestEndpoint } from "#test/helpers/factories.ts";
import { GET as neighbours } from "../../app/api/console/deliveries/[id]/neighbours/route.ts";
import { GET as count } from "../../app/api/console/deliveries/count/route.ts";
import { GET as list } from "../../app/api/v1/deliveries/route.ts";

const api = setUpApi();
const dayMs = 86_400_000;
const startMs = Date.parse("2026-01-01T00:00:00Z");
const made = 240;

type Row = {
  id: string;
  event_id: string;
  event_type: string;
  affiliate: string;
  endpoint: string;
  state: string;
  reason: string | null;
  last_status: number | null;
  attempts: number;
  createdMs: number;
};
type Filters = Record<string, string>;

const kinds: Pick<Row, "state" | "reason" | "last_status" | "attempts">[] = [
  { state: "delivered", reason: null, last_status: 200, attempts: 1 },
  { state: "delivered", reason: null, last_status: 204, attempts: 1 },
  { state: "delivered", reason: null, last_status: 409, attempts: 1 },
  { state: "delivered", reason: null, last_status: 200, attempts: 4 },
  { state: "pending", reason: null, last_status: null, attempts: 0 },
  { state: "pending", reason: null, last_status: 500, attempts: 5 },
  { state: "in_flight", reason: null, last_status: null, attempts: 1 },
  { state: "failed", reason: "timeout", last_status: null, attempts: 1 },
  { state: "failed", reason: "server_error", last_status: 503, attempts: 2 },
  { state: "dead_letter", reason: "not_found", last_status: 404, attempts: 1 },
  { state: "dead_letter", reason: "redirect", last_status: 302, attempts: 1 },
  { state: "dead_letter", reason: "rejected_by_response", last_status: 200, attempts: 1 },
  { state: "skipped", reason: "missing_click_id", last_status: null, attempts: 0 },
  { state: "discarded", reason: "endpoint_deleted", last_status: 500, attempts: 3 },
];

let rows: Row[] = [];
const endpoints: TestEndpoint[] = [];

beforeAll(async () => {
  const { pool } = api.database;
  const affiliates = [await createAffiliate(pool, "one"), await createAffiliate(pool, "two")] as const;
  for (const affiliate of [affiliates[0], affiliates[0], affiliates[1]])
    endpoints.push(await createEndpoint(pool, { url: "http://127.0.0.1:9/", affiliate }));
  const wanted = Array.from({ length: made }, (_, n) => {
    const endpoint = endpoints[n % 3] as TestEndpoint;
    const event_type = n % 40 === 7 ? "ftd" : n % 2 === 0 ? "deposit" : "conversion.approved";
    return {
      event_id: `event-${Math.floor(n / 2)}-${event_type}`,
      event_type,
      affiliate: endpoint.affiliateKey,
      endpoint: endpoint.id,
      ...(kinds[(n * 5) % kinds.length] as (typeof kinds)[number]),
      // What is made at the same time stands in the order of its ids.
      createdMs: startMs + Math.floor(n / 4) * (dayMs / 4),
    };
  });
  const inserted = await pool.query<{ id: string }>(
    `insert into posthorn.deliveries (event_id, event_received_at, event_type, affiliate_id, endpoint_id, state, reason,
       last_status, attempt_number, created_at)
     select w.event_id, w.created_at, w.event_type, e.affiliate_id, e.id, w.state, w.reason, w.last_status, w.attempts, w.created_at
     from json_to_recordset($1) w (n int, event_id text, event_type text, endpoint uuid, state posthorn.delivery_state,
       reason posthorn.reason, last_status int, attempts int, created_at timestamptz)
     join posthorn.endpoints e on e.id = w.endpoint order by w.n returning id::text`,
    [
      JSON.stringify(
        wanted.map((row, n) => ({ ...row, n, created_at: new Date(row.createdMs).toISOString() })),
      ),
    ],
  );
  await pool.query(
    `insert into posthorn.events (id, received_at, affiliate_id, type, occurred_at, data_bytes)
     select distinct on (event_id) event_id, event_received_at, affiliate_id, event_type, event_received_at, 2 from posthorn.deliveries`,
  );
  rows = wanted.map((row, n) => ({ ...row, id: inserted.rows[n]?.id ?? "" })).reverse();
});

/** What the filters mean, said once more and without SQL. */
function matches(row: Row, filters: Filters): boolean {
  const { state, reason, status_class, endpoint, affiliate, type, attempts_min, attempts_max, from, to } =
    filters;
  const statusClass =
    row.last_status !== null
      ? `${Math.floor(row.last_status / 100)}xx`
      : row.reason !== null && row.attempts > 0
        ? "none"
        : null;
  return (
    (state === undefined || state.split(",").includes(row.state)) &&
    (reason === undefined || row.reason === reason) &&
    (status_class === undefined || statusClass === status_class) &&
    (endpoint === undefined || row.endpoint === endpoint) &&
    (affiliate === undefined || row.affiliate === affiliate) &&
    (type === undefined || row.event_type === type) &&
    (attempts_min === undefined || row.attempts >= Number(attempts_min)) &&
    (attempts_max === undefined || row.attempts <= Number(attempts_max)) &&
    (from === undefined || row.createdMs >= Date.parse(from)) &&
    (to === undefined || row.createdMs < Date.parse(to))
  );
}

const states = [
  "pending",
  "in_flight",
  "failed",
  "delivered",
  "dead_letter",
  "skipped",
  "discarded",
] as const;
const time = fc
  .integer({ min: -5, max: 65 })
  .map((quarters) => new Date(startMs + (quarters * dayMs) / 4).toISOString());

const oneOf = {
  state: fc.subarray([...states], { minLength: 1 }).map((some) => some.join(",")),
  reason: fc.constantFrom("timeout", "not_found", "redirect", "gone"),
  status_class: fc.constantFrom("2xx", "3xx", "4xx", "5xx", "none"),
  endpoint: fc.constantFrom(0, 1, 2).map((place) => (endpoints[place] as TestEndpoint).id),
  affiliate: fc.constantFrom("one", "two", "nobody"),
  type: fc.constantFrom("deposit", "conversion.approved", "ftd", "qualified"),
  attempts_min: fc.constantFrom("0", "1", "2", "4"),
  attempts_max: fc.constantFrom("0", "1", "3", "9"),
  from: time,
  to: time,
} satisfies Record<string, fc.Arbitrary<string>>;

/** Three at most, so that something is left. */
function anyFilters(): fc.Arbitrary<Filters> {
  return fc
    .subarray(Object.keys(oneOf) as (keyof typeof oneOf)[], { maxLength: 3 })
    .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, oneOf[name]]))));
}

async function read(query: Filters) {
  const answer = await api.call(list, { query });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body as {
    data: { id: string }[];
    next_cursor: string | null;
    previous_cursor: string | null;
  };
}

describe("the list", () => {
  test("has what its filters say, newest first, and its pages read forward and back are the same", async () => {
    await fc.assert(
      fc.asyncProperty(anyFilters(), fc.integer({ min: 7, max: 60 }), async (filters, limit) => {
        const wanted = rows.filter((row) => matches(row, filters)).map(({ id }) => id);
        const query = { ...filters, limit: String(limit) };
        const forward: string[][] = [];
        let page = await read(query);
        forward.push(page.data.map(({ id }) => id));
        while (page.next_cursor !== null) {
          page = await read({ ...query, cursor: page.next_cursor });
          forward.push(page.data.map(({ id }) => id));
        }
        expect(forward.flat()).toEqual(wanted);
        const back = [forward.at(-1) ?? []];
        while (page.previous_cursor !== null) {
          page = await read({ ...query, cursor: page.previous_cursor });
          back.unshift(page.data.map(({ id }) => id));
        }
        expect(back).toEqual(forward);
      }),
      { numRuns: 40 },
    );
  }, 60_000);

  test("is counted, and each of its deliveries knows the ones beside it", async () => {
    await fc.assert(
      fc.asyncProperty(anyFilters(), fc.nat(made - 1), async (filters, place) => {
        const wanted = rows.filter((row) => matches(row, filters)).map(({ id }) => BigInt(id));
        const counted = await api.call(count, { query: filters });
        expect(counted.body).toEqual({ count: wanted.length, capped: false });
        const { id } = rows[place] as Row;
        const beside = await api.call(neighbours, { params: { id }, query: filters });
        expect(beside.body).toEqual({
          previous: wanted.findLast((other) => other > BigInt(id))?.toString() ?? null,
          next: wanted.find((other) => other < BigInt(id))?.toString() ?? null,
        });
      }),
      { numRuns: 40 },
    );
  }, 60_000);

  test("is found by a type that hardly any event has, as by one that many have", async () => {
    const { pool } = api.database;
    await pool.query(
      `insert into posthorn.events (id, received_at, affiliate_id, type, occurred_at, data_bytes)
       select 'many-' || n, now(), $1, 'deposit', now(), 2 from generate_series(1, 5000) n`,
      [endpoints[0]?.affiliateId],
    );
    const wanted = rows.filter(({ event_type }) => event_type === "deposit").map(({ id }) => id);
    const page = await read({ type: "deposit", limit: "100" });
    expect(page.data.map(({ id }) => id)).toEqual(wanted.slice(0, 100));
  });

  test.each([
    ["state", "delivered,gone"],
    ["state", ""],
    ["reason", "because"],
    ["status_class", "6xx"],
    ["type", "No Type"],
    ["attempts_min", "-1"],
    ["attempts_max", "many"],
    ["from", "yesterday"],
    ["to", "0000-01-01T00:00:00Z"],
  ])("refuses %s=%s, and names it", async (field, value) => {
    for (const handler of [list, count]) {
      const { status, body } = await api.call(handler, { query: { [field]: value } });
      expect(status).toBe(422);
      expect(body.errors).toEqual([expect.objectContaining({ field })]);
    }
  });
});

test("a search whose statement runs into its time is a 503 that says so, and no empty list", async () => {
  const client = await api.database.pool.connect();
  try {
    await client.query("begin");
    await client.query("lock table posthorn.deliveries in access exclusive mode");
    const { status, body } = await api.call(list, { query: { reason: "timeout" } });
    expect({ status, code: body.code }).toEqual({ status: 503, code: "database_timeout" });
  } finally {
    await client.query("rollback");
    client.release();
  }
}, 20_000);
