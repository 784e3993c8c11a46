import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Endpoint } from "#lib/endpoints/schema.ts";
import type { EndpointView } from "#lib/endpoints/views.ts";
import { endpointCondition } from "#lib/endpoints/words.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { createAffiliate, createEndpoint } from "#test/helpers/factories.ts";
import * as consoleAffiliate from "../../app/api/console/affiliates/[key]/route.ts";
import { GET as affiliateList } from "../../app/api/console/affiliates/route.ts";
import { GET as endpointList } from "../../app/api/console/endpoints/route.ts";
import { GET as overview } from "../../app/api/console/overview/route.ts";
import { GET as queue } from "../../app/api/console/queue/route.ts";
import { GET as v1Endpoints } from "../../app/api/v1/endpoints/route.ts";
import { GET as healthSummary } from "../../app/api/v1/health-summary/route.ts";

const api = setUpApi();
let affiliate: { id: string; key: string };

beforeAll(async () => {
  affiliate = await createAffiliate(api.database.pool);
});

beforeEach(async () => {
  const { pool } = api.database;
  await pool.query(
    "truncate posthorn.deliveries, posthorn.endpoints, posthorn.endpoint_latency, posthorn.workers cascade",
  );
});

type Given = { status?: string; health?: string; percentiles?: string };

/** An endpoint of which these columns are set, as SQL. */
async function make({ status, health, percentiles }: Given = {}): Promise<string> {
  const { pool } = api.database;
  const { id } = await createEndpoint(pool, { url: "http://127.0.0.1:9/", affiliate, baseSeconds: 30 });
  if (status) await pool.query("update posthorn.endpoints set status = $2 where id = $1", [id, status]);
  if (health) await pool.query(`update posthorn.endpoint_health set ${health} where endpoint_id = $1`, [id]);
  if (percentiles) {
    await pool.query(
      `insert into posthorn.endpoint_percentiles (endpoint_id, refreshed_at, samples, p50_ms, p99_ms, p95_ms, slow, slowing)
       values ($1, now(), 100, 1, 1, ${percentiles})`,
      [id],
    );
  }
  return id;
}

/** Deliveries of one endpoint; `columns` and `values` as SQL. */
async function makeDeliveries(endpointId: string, values: Record<string, string>, count = 1): Promise<void> {
  const names = Object.keys(values);
  await api.database.pool.query(
    `insert into posthorn.deliveries (event_id, event_received_at, event_type, affiliate_id, endpoint_id, ${names})
     select 'e-' || n, now(), 'ftd', e.affiliate_id, e.id, ${Object.values(values)}
     from posthorn.endpoints e, generate_series(1, ${count}) n where e.id = $1`,
    [endpointId],
  );
}

async function read(query: Record<string, string>): Promise<Endpoint[]> {
  const { status, body } = await api.call(endpointList, { query });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data;
}

const idsOf = (endpoints: Endpoint[]) => endpoints.map(({ id }) => id);

describe("views of endpoints", () => {
  const failing = "consecutive_failures = 3, failing_attempts = 4, failing_since = now()";
  const cases: [Given, EndpointView[]][] = [
    [{}, []],
    [{ health: "last_success_at = now()", percentiles: "10, false, false" }, []],
    [{ health: failing }, ["failing"]],
    // A refused payload counts for no breaker, and is a failure all the same.
    [{ health: "failing_attempts = 1, failing_since = now()" }, ["failing"]],
    [{ health: "consecutive_failures = 1" }, ["failing"]],
    [
      { health: `${failing}, breaker = 'open'`, percentiles: "3000, true, false" },
      ["failing", "slow", "breaker_open"],
    ],
    [{ health: "breaker = 'half_open'" }, ["failing", "breaker_open"]],
    [{ health: "breaker = 'open', breaker_held_by = 'Ana'" }, ["breaker_open"]],
    [{ percentiles: "3000, true, false" }, ["slow"]],
    [{ percentiles: "900, false, true" }, ["slow"]],
    [{ status: "paused", health: failing, percentiles: "3000, true, false" }, ["paused"]],
    [{ status: "disabled", health: `${failing}, breaker = 'open'` }, ["disabled"]],
  ];

  test("hold what their names say, and the overview counts the same", async () => {
    const made: { id: string; views: EndpointView[] }[] = [];
    for (const [given, views] of cases) made.push({ id: await make(given), views });
    await api.database.pool.query("update posthorn.endpoints set deleted_at = now() where id = $1", [
      await make({ health: `${failing}, breaker = 'open'`, percentiles: "3000, true, true" }),
    ]);
    const { body } = await api.call(overview);
    for (const view of ["failing", "slow", "breaker_open", "paused", "disabled"] as const) {
      const expected = made.filter(({ views }) => views.includes(view)).map(({ id }) => id);
      expect(idsOf(await read({ view })).sort(), view).toEqual(expected.sort());
      expect(body.endpoints[view], view).toBe(expected.length);
    }
    expect(idsOf(await read({ view: "all" })).sort()).toEqual(made.map(({ id }) => id).sort());
    expect(body.endpoints.active).toBe(10);
    expect((await api.call(healthSummary)).body.endpoints).toEqual(body.endpoints);
  });

  test("agree with the state that each endpoint is shown in", async () => {
    for (const [given] of cases) await make(given);
    for (const endpoint of await read({ view: "all" })) {
      const condition = endpointCondition(endpoint);
      const view = condition === "slowing" ? "slow" : condition;
      if (view === "healthy" || view === "unused") continue;
      expect(idsOf(await read({ view })), condition).toContain(endpoint.id);
    }
  });

  test("an unknown view or sort is a 422 that names it", async () => {
    for (const field of ["view", "sort", "activity", "waiting"]) {
      expect(await api.call(v1Endpoints, { query: { [field]: "fastest" } })).toMatchObject({
        status: 422,
        body: { errors: [{ field }] },
      });
    }
  });
});

describe("orders of endpoints", () => {
  /** Every page of the list forwards, and then back again. */
  async function walk(query: Record<string, string>): Promise<{ forwards: string[]; backwards: string[] }> {
    const forwards: string[] = [];
    const backwards: string[] = [];
    let cursor: string | null = null;
    let page: { data: Endpoint[]; next_cursor: string | null; previous_cursor: string | null };
    const turn = async () => {
      const given: Record<string, string> = { ...query, limit: "2", ...(cursor === null ? {} : { cursor }) };
      const answer = await api.call(endpointList, { query: given });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return answer.body;
    };
    do {
      page = await turn();
      forwards.push(...idsOf(page.data));
      cursor = page.next_cursor;
    } while (cursor !== null);
    cursor = page.previous_cursor;
    backwards.unshift(...idsOf(page.data));
    while (cursor !== null) {
      page = await turn();
      backwards.unshift(...idsOf(page.data));
      cursor = page.previous_cursor;
    }
    return { forwards, backwards };
  }

  test("the worst first, in pages that join without a gap", async () => {
    const healthy = await make();
    const held = await make({ status: "paused" });
    const slow = await make({ percentiles: "2500.5, true, false" });
    const once = await make({ health: "failing_attempts = 1" });
    const slowly = await make({ health: "failing_attempts = 1", percentiles: "0.3, false, false" });
    const often = await make({ health: "consecutive_failures = 9, failing_attempts = 9" });
    const open = await make({ health: "breaker = 'open'" });
    const disabled = await make({ status: "disabled" });
    const worst = [disabled, open, often, slowly, once, slow, held, healthy];
    expect(await walk({ sort: "worst" })).toEqual({ forwards: worst, backwards: worst });
    const slowest = [slow, slowly, disabled, open, often, once, held, healthy];
    expect(await walk({ sort: "slowest" })).toEqual({ forwards: slowest, backwards: slowest });
  });

  test("what has been due longest first, held ones last, and only those that something waits for", async () => {
    await make();
    const held = await make({ status: "paused" });
    const blocked = await make();
    const fresh = await make();
    const [old, oldest] = [await make(), await make()];
    await makeDeliveries(held, { next_attempt_at: "now() - interval '9 hours'" }, 2);
    await makeDeliveries(blocked, { blocked: "true", ordering_key: "'k'" });
    await makeDeliveries(fresh, {
      next_attempt_at: "now() + interval '1 hour'",
      state: "'failed'::posthorn.delivery_state",
    });
    await makeDeliveries(old, { next_attempt_at: "now() - n * interval '1 minute'" }, 3);
    await makeDeliveries(oldest, { next_attempt_at: "now() - interval '1 hour'" });
    await makeDeliveries(oldest, {
      state: "'delivered'::posthorn.delivery_state",
      next_attempt_at: "'epoch'",
    });
    const order = [oldest, old, fresh, blocked, held];
    expect(await walk({ sort: "oldest_due", waiting: "true" })).toEqual({
      forwards: order,
      backwards: order,
    });
    expect(await read({ waiting: "false" })).toHaveLength(1);
  });

  test("a cursor is good for its own order alone, and nonsense in one is refused", async () => {
    await make();
    await make();
    const { body } = await api.call(endpointList, { query: { sort: "worst", limit: "1" } });
    const foreign = Buffer.from(JSON.stringify(["n", "9999999999", "1", "1e400", affiliate.id])).toString(
      "base64url",
    );
    for (const [sort, cursor] of [
      ["slowest", body.next_cursor],
      ["newest", body.next_cursor],
      ["worst", foreign],
    ]) {
      expect(await api.call(endpointList, { query: { sort, cursor } })).toMatchObject({
        status: 422,
        body: { errors: [{ field: "cursor" }] },
      });
    }
  });
});

test("activity: backlog, dead letters and 24 hours, for every endpoint of the page", async () => {
  const { pool } = api.database;
  const busy = await make();
  const quiet = await make();
  await makeDeliveries(busy, { next_attempt_at: "now() - n * interval '1 minute'" }, 400);
  await makeDeliveries(busy, { blocked: "true", ordering_key: "'k'" }, 300);
  await makeDeliveries(busy, { state: "'dead_letter'::posthorn.delivery_state" }, 7);
  await makeDeliveries(quiet, { next_attempt_at: "now() + interval '1 hour'" });
  await pool.query(
    `insert into posthorn.endpoint_latency (resolution, bucket_at, endpoint_id, worker_id, attempts, delivered, buckets, counts)
     select 'hour', date_trunc('hour', now(), 'UTC') - ago * interval '1 hour', $1::uuid, worker, n, good, '{}', '{}'
     from (values (0, 1, 5, 4), (0, 2, 5, 5), (23, 1, 8, 0), (24, 1, 99, 99)) as r (ago, worker, n, good)`,
    [busy],
  );
  const [first, second] = await read({ activity: "true" });
  expect(first).toMatchObject({
    id: quiet,
    activity: {
      backlog: { count: 1, capped: false },
      oldest_due_at: null,
      dead_letters: { count: 0, capped: false },
    },
  });
  expect(second).toMatchObject({
    id: busy,
    activity: { backlog: { count: 500, capped: true }, dead_letters: { count: 7, capped: false } },
  });
  const ageMs = Date.now() - Date.parse(second?.activity?.oldest_due_at ?? "");
  expect(Math.round(ageMs / 60_000)).toBe(400);
  const nothing = { attempts: 0, delivered: 0 };
  expect(first?.activity?.hours).toEqual(Array(24).fill(nothing));
  expect(second?.activity?.hours).toEqual([
    { attempts: 8, delivered: 0 },
    ...Array(22).fill(nothing),
    { attempts: 10, delivered: 9 },
  ]);
  expect((await read({}))[0]).not.toHaveProperty("activity");
});

describe("the oldest that waits", () => {
  // 5 attempts with a base of 30 s: at most 450 s.
  test.each([
    [
      "made and due since",
      false,
      { next_attempt_at: "now() - interval '400 s'", created_at: "now() - interval '400 s'" },
    ],
    [
      "made too long ago",
      true,
      { next_attempt_at: "now() - interval '460 s'", created_at: "now() - interval '460 s'" },
    ],
    [
      "retried until too long after it was made",
      true,
      {
        next_attempt_at: "now() - interval '1 s'",
        created_at: "now() - interval '460 s'",
        attempt_number: "3",
        attempts_charged: "3",
      },
    ],
    [
      "put back a moment ago",
      false,
      {
        next_attempt_at: "now() - interval '1 s'",
        created_at: "now() - interval '5 days'",
        attempt_number: "5",
      },
    ],
    [
      "held",
      false,
      { next_attempt_at: "now() - interval '5 days'", created_at: "now() - interval '5 days'" },
      "infinity",
    ],
  ] as const)("%s: past its retry window is %s", async (_, isLate, values, readyAt: string = "epoch") => {
    const id = await make({ health: `ready_at = '${readyAt}'` });
    await makeDeliveries(id, values);
    const { body } = await api.call(overview);
    expect(body.past_retry_window).toBe(isLate);
    expect(body.oldest_waiting_at === null).toBe(readyAt === "infinity");
    expect((await api.call(queue)).body.past_retry_window).toBe(isLate);
  });
});

test("the queue tells workers that live from those that stopped and those that were lost, and what they do", async () => {
  const { pool } = api.database;
  const { rows } = await pool.query(
    `insert into posthorn.workers (hostname, pid, version, lease_until, stopped_at, heartbeat_at, claimed_last_minute, settled_last_minute)
     values ('one', 1, '0', now() + interval '1 minute', null, now(), 120, 110),
       ('two', 2, '0', now() + interval '1 minute', null, now() - interval '3 s', 30, 40),
       ('lost', 3, '0', now() - interval '1 minute', null, now() - interval '80 s', 999, 999),
       ('stopped', 4, '0', now() - interval '2 minutes', now() - interval '2 minutes', now() - interval '2 minutes', 9, 9),
       ('long ago', 5, '0', now() - interval '2 days', null, now() - interval '2 days', 9, 9)
     returning id`,
  );
  const endpointId = await make();
  await makeDeliveries(
    endpointId,
    { state: "'in_flight'::posthorn.delivery_state", leased_by: rows[0].id },
    3,
  );
  await makeDeliveries(
    endpointId,
    { state: "'in_flight'::posthorn.delivery_state", leased_by: rows[2].id },
    2,
  );
  await makeDeliveries(endpointId, { blocked: "false" }, 4);
  const { status, body } = await api.call(queue);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    waiting: { count: 4, capped: false },
    workers_alive: 2,
    claimed_last_minute: 150,
    settled_last_minute: 150,
    workers: [
      {
        hostname: "one",
        pid: 1,
        state: "alive",
        leases: { count: 3, capped: false },
        claimed_last_minute: 120,
      },
      { hostname: "two", state: "alive", leases: { count: 0, capped: false }, settled_last_minute: 40 },
      { hostname: "lost", state: "lost", leases: { count: 2, capped: false }, claimed_last_minute: null },
      { hostname: "stopped", state: "stopped", settled_last_minute: null },
    ],
  });
  expect(body.workers).toHaveLength(4);
});

describe("affiliates", () => {
  test("with their failing endpoints and the events of a day", async () => {
    const { pool } = api.database;
    const other = await createAffiliate(pool);
    await make();
    await make({ health: "failing_attempts = 2" });
    await make({ health: "failing_attempts = 2", status: "paused" });
    await pool.query(
      `insert into posthorn.events (id, received_at, affiliate_id, type, occurred_at, data_bytes)
       select 'a-' || n, now() - n * interval '1 hour', $1::uuid, 'ftd', now(), 2 from generate_series(1, 30) n
       union all select 'b-' || n, now() - n * interval '1 second', $2::uuid, 'ftd', now(), 2 from generate_series(1, 501) n`,
      [affiliate.id, other.id],
    );
    const { body } = await api.call(affiliateList, { query: { activity: "true" } });
    expect(body.data).toMatchObject([
      { key: other.key, activity: { failing_endpoints: 0, events_last_day: { count: 500, capped: true } } },
      {
        key: affiliate.key,
        endpoint_count: 3,
        activity: { failing_endpoints: 1, events_last_day: { count: 23, capped: false } },
      },
    ]);
    expect((await api.call(affiliateList)).body.data[0]).not.toHaveProperty("activity");
    const { body: one } = await api.call(consoleAffiliate.GET, { params: { key: affiliate.key } });
    expect(one).toEqual(body.data[1]);
  });

  test("are renamed at the console, which the audit log tells", async () => {
    const { pool } = api.database;
    const { key, id } = await createAffiliate(pool);
    const params = { key };
    const renamed = await api.call(consoleAffiliate.PATCH, {
      method: "PATCH",
      params,
      body: { name: " Nova " },
    });
    expect(renamed).toMatchObject({ status: 200, body: { key, name: "Nova" } });
    const { rows } = await pool.query(
      "select action, before, after from posthorn.audit_log where object_id = $1",
      [id],
    );
    expect(rows).toEqual([{ action: "affiliate.edit", before: { name: key }, after: { name: "Nova" } }]);
    const empty = await api.call(consoleAffiliate.PATCH, { method: "PATCH", params, body: { name: " " } });
    expect(empty).toMatchObject({ status: 422, body: { errors: [{ field: "name" }] } });
    const nobody = { params: { key: "nobody" } };
    expect(await api.call(consoleAffiliate.GET, nobody)).toMatchObject({ status: 404 });
  });
});

test("statements that time out are a problem each, and never an empty answer or a 0", async () => {
  const client = await api.database.pool.connect();
  try {
    await client.query("begin");
    await client.query(
      "lock table posthorn.endpoints, posthorn.affiliates, posthorn.deliveries in access exclusive mode",
    );
    const answers = await Promise.all([
      api.call(overview),
      api.call(queue),
      api.call(endpointList, { query: { sort: "worst", activity: "true" } }),
      api.call(affiliateList, { query: { activity: "true" } }),
    ]);
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 503, body: { code: expect.any(String) } });
      expect(answer.body).not.toHaveProperty("data");
    }
  } finally {
    await client.query("rollback");
    client.release();
  }
});
