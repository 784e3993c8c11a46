import { beforeAll, describe, expect, test } from "vitest";
import { quantileMs } from "#lib/delivery/latency.ts";
import { fanOut } from "#lib/queue/fan-out.ts";
import { everyEndpoint } from "#lib/vocabulary.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { fanOutOptions } from "#test/helpers/factories.ts";
import { eventually } from "#test/helpers/workers.ts";
import { POST as find } from "../../app/api/console/find/route.ts";
import { GET as overview } from "../../app/api/console/overview/route.ts";
import * as affiliates from "../../app/api/v1/affiliates/route.ts";
import { POST as resend } from "../../app/api/v1/deliveries/[id]/resend/route.ts";
import * as delivery from "../../app/api/v1/deliveries/[id]/route.ts";
import * as deliveries from "../../app/api/v1/deliveries/route.ts";
import { POST as pause } from "../../app/api/v1/endpoints/[id]/pause/route.ts";
import { POST as resume } from "../../app/api/v1/endpoints/[id]/resume/route.ts";
import * as endpoint from "../../app/api/v1/endpoints/[id]/route.ts";
import * as endpoints from "../../app/api/v1/endpoints/route.ts";
import * as event from "../../app/api/v1/events/[id]/route.ts";
import * as events from "../../app/api/v1/events/route.ts";
import { GET as readyz } from "../../app/readyz/route.ts";

const api = setUpApi();

async function makeEndpoint(affiliate: string, fields: Record<string, unknown> = {}): Promise<string> {
  const body = { affiliate, name: "e", url: "http://127.0.0.1:9/", ...fields };
  return (await api.call(endpoints.POST, { body })).body.id;
}

async function publish(affiliate: string, fields: Record<string, unknown> = {}): Promise<string> {
  const body = { type: "ftd", affiliate, data: { a: 1 }, ...fields };
  return (await api.call(events.POST, { body })).body.id;
}

/** Publishes and fans out; returns the delivery's id. */
async function deliver(affiliate: string, fields: Record<string, unknown> = {}): Promise<string> {
  const eventId = await publish(affiliate, fields);
  await fanOut(api.database.pool, fanOutOptions);
  return (await api.call(deliveries.GET, { query: { event: eventId } })).body.data[0].id;
}

/** Puts a delivery where a worker would have left it. */
async function leave(id: string, columns: string): Promise<void> {
  await api.database.pool.query(`update posthorn.deliveries set ${columns} where id = $1`, [id]);
}

const get = async (id: string) => (await api.call(delivery.GET, { params: { id } })).body;

beforeAll(async () => {
  for (const key of ["acme", "other", "reasons", "quiet", "ordered", "moment"])
    await api.call(affiliates.POST, { body: { key, name: key } });
});

describe("one delivery", () => {
  test("shows where it stands, and the exact body that is sent", async () => {
    const endpointId = await makeEndpoint("acme", {
      retry: { max_attempts: 3, base_seconds: 1, cap_seconds: 9 },
    });
    const data = '{"id":9007199254740993,"v":1.0 }';
    const accepted = await api.call(events.POST, {
      body: `{"id":"shown","type":"ftd","affiliate":"acme","occurred_at":"2026-01-01T00:00:00Z","data":${data}}`,
    });
    expect(accepted.status).toBe(202);
    await fanOut(api.database.pool, fanOutOptions);
    const { body: list } = await api.call(deliveries.GET, { query: { event: "shown" } });
    expect(list.data).toHaveLength(1);
    const shown = await get(list.data[0].id);
    expect(shown).toMatchObject({
      ...list.data[0],
      event_id: "shown",
      endpoint: { id: endpointId, status: "active" },
      affiliate: { key: "acme" },
      state: "pending",
      held: false,
      attempt_number: 0,
      max_attempts: 3,
      next_attempt_at: expect.any(String),
      occurred_at: "2026-01-01T00:00:00.000Z",
      request: {
        method: "POST",
        content_type: "application/json",
        body: `{"id":"shown","type":"ftd","timestamp":"2026-01-01T00:00:00.000Z","data":${data}}`,
      },
      attempts: [],
    });
  });

  test("has its attempts, oldest first, with what was answered", async () => {
    await makeEndpoint("quiet");
    const id = await deliver("quiet");
    const { pool } = api.database;
    await pool.query(
      `insert into posthorn.delivery_attempts (delivery_id, number, started_at, endpoint_id, outcome, reason, status, duration_ms, worker_id)
       select d.id, n, now() + n * interval '1 second', d.endpoint_id, 'transient', 'server_error', 500, 12.5, 7
       from posthorn.deliveries d, generate_series(1, 2) n where d.id = $1`,
      [id],
    );
    await pool.query(
      `insert into posthorn.attempt_responses (delivery_id, number, started_at, url, headers, body, body_truncated)
       select delivery_id, number, started_at, 'http://127.0.0.1:9/', '["content-type","text/html","x-a","1"]', '\\x00ff41', true
       from posthorn.delivery_attempts where delivery_id = $1 and number = 2`,
      [id],
    );
    const { attempts } = await get(id);
    expect(attempts).toMatchObject([
      {
        number: 1,
        outcome: "transient",
        status: 500,
        request_url: null,
        response_headers: null,
        response_body: null,
      },
      {
        number: 2,
        reason: "server_error",
        duration_ms: 12.5,
        worker_id: "7",
        request_url: "http://127.0.0.1:9/",
        response_headers: [
          ["content-type", "text/html"],
          ["x-a", "1"],
        ],
        response_body: "\0\ufffdA",
        response_body_truncated: true,
      },
    ]);
    expect(attempts[0]).not.toHaveProperty("body_truncated");
  });

  test("and its attempts are of one moment, whatever settles while they are read", async () => {
    await makeEndpoint("moment");
    const id = await deliver("moment");
    await leave(id, "state = 'in_flight', attempt_number = 1");
    const { pool } = api.database;
    const settling = await pool.connect();
    await settling.query("begin");
    await settling.query("lock table posthorn.delivery_attempts in access exclusive mode");
    const reading = get(id);
    await eventually(async () => {
      const { rows } = await pool.query(
        "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      );
      return rows.length > 0;
    });
    await settling.query(
      `with d as (update posthorn.deliveries set state = 'delivered', delivered_at = now(), ended_at = now()
         where id = $1 returning id, endpoint_id)
       insert into posthorn.delivery_attempts (delivery_id, number, started_at, endpoint_id, outcome, status)
       select id, 1, now(), endpoint_id, 'delivered', 200 from d`,
      [id],
    );
    await settling.query("commit");
    settling.release();
    expect(await reading).toMatchObject({ state: "in_flight", attempts: [] });
    expect(await get(id)).toMatchObject({ state: "delivered", attempts: [{ number: 1 }] });
  });

  test("is held while its endpoint is paused, and says that nothing is planned", async () => {
    const endpointId = await makeEndpoint("other");
    const id = await deliver("other");
    await api.call(pause, { method: "POST", params: { id: endpointId } });
    expect(await get(id)).toMatchObject({
      held: true,
      next_attempt_at: null,
      endpoint: { status: "paused" },
    });
    await api.call(resume, { method: "POST", params: { id: endpointId } });
    expect(await get(id)).toMatchObject({ held: false, next_attempt_at: expect.any(String) });
    await leave(id, "state = 'dead_letter', reason = 'gone', ended_at = now()");
    expect(await get(id)).toMatchObject({ held: false, next_attempt_at: null, reason: "gone" });
    await api.call(endpoint.DELETE, { method: "DELETE", params: { id: endpointId } });
    expect(await get(id)).toMatchObject({
      endpoint: { status: "deleted" },
      held: false,
      next_attempt_at: null,
    });
  });

  test.each(["0", "-1", "1.0", "abc", "9999999999999999999", "999999999999"])("%s is none", async (id) => {
    expect(await api.call(delivery.GET, { params: { id } })).toMatchObject({ status: 404 });
    expect(await api.call(resend, { method: "POST", params: { id } })).toMatchObject({ status: 404 });
  });
});

describe("resending", () => {
  test("case 34: puts a dead letter back once, however often it is pressed, and records who did it", async () => {
    await makeEndpoint("reasons");
    const id = await deliver("reasons");
    await leave(
      id,
      "state = 'dead_letter', reason = 'timeout', attempts_charged = 5, attempt_number = 5, ended_at = now()",
    );
    expect(await get(id)).toMatchObject({ resend_refusal: null });
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => api.call(resend, { method: "POST", params: { id } })),
    );
    const [done, ...more] = answers.filter((answer) => answer.status === 200);
    expect(more).toEqual([]);
    expect(done?.body).toMatchObject({
      id,
      state: "pending",
      reason: null,
      attempts_charged: 0,
      attempt_number: 5,
      ended_at: null,
    });
    expect(
      answers.filter((answer) => answer.status === 409 && answer.body.code === "already_waiting"),
    ).toHaveLength(5);
    const { rows } = await api.database.pool.query(
      "select action, before, after from posthorn.audit_log where object_kind = 'delivery' and object_id = $1",
      [id],
    );
    expect(rows).toEqual([
      {
        action: "delivery.resend",
        before: { state: "dead_letter", reason: "timeout", attempts_charged: 5 },
        after: { state: "pending", reason: null, attempts_charged: 0 },
      },
    ]);
  });

  test("case 25: is refused when its ordering key has moved on, unless forced; what waits says for what", async () => {
    const endpointId = await makeEndpoint("ordered", { ordering: "per_key" });
    const first = await deliver("ordered", { ordering_key: "k" });
    const second = await deliver("ordered", { ordering_key: "k" });
    const third = await deliver("ordered", { ordering_key: "k" });
    expect(await get(first)).toMatchObject({ blocked: false, blocked_by: null, superseded: false });
    expect(await get(third)).toMatchObject({ blocked: true, blocked_by: first, next_attempt_at: null });
    const { backlog } = (await api.call(endpoint.GET, { params: { id: endpointId } })).body;
    expect(backlog).toMatchObject({ waiting: 1, blocked: 2 });

    await leave(first, "state = 'dead_letter', attempt_number = 1, ended_at = now()");
    await leave(second, "state = 'discarded', attempt_number = 1, blocked = false, ended_at = now()");
    const shown = await get(first);
    expect(shown).toMatchObject({ superseded: true, resend_refusal: expect.any(String) });
    const put = (body?: unknown) => api.call(resend, { method: "POST", params: { id: first }, body });
    for (const body of [undefined, {}, { force: false }]) {
      expect(await put(body)).toMatchObject({
        status: 409,
        body: { code: "superseded", detail: shown.resend_refusal },
      });
    }
    expect(await put({ force: "yes" })).toMatchObject({
      status: 422,
      body: { errors: [{ field: "force" }] },
    });
    expect(await put({ forced: true })).toMatchObject({ status: 422 });
    expect(await put("nonsense")).toMatchObject({ status: 400 });
    expect(await put({ force: true })).toMatchObject({
      status: 200,
      body: { state: "pending", blocked: false },
    });
    const { rows } = await api.database.pool.query(
      "select after from posthorn.audit_log where object_kind = 'delivery' and object_id = $1",
      [first],
    );
    expect(rows).toEqual([{ after: { state: "pending", reason: null, attempts_charged: 0, force: true } }]);
  });

  test("is refused with the reason, which the delivery tells beforehand", async () => {
    const endpointId = await makeEndpoint("reasons");
    const eventId = await publish("reasons");
    await fanOut(api.database.pool, fanOutOptions);
    const { body } = await api.call(deliveries.GET, { query: { event: eventId, endpoint: endpointId } });
    const { id } = body.data[0];
    const refused = async (code: string) => {
      const { resend_refusal: refusal } = await get(id);
      expect(await api.call(resend, { method: "POST", params: { id } })).toMatchObject({
        status: 409,
        body: { code, detail: refusal },
      });
    };
    await refused("already_waiting");
    await leave(id, "state = 'in_flight'");
    await refused("in_flight");
    await leave(id, "state = 'dead_letter'");
    await api.database.pool.query("delete from posthorn.event_bodies where event_id = $1", [eventId]);
    expect(await get(id)).toMatchObject({ request: null });
    await refused("body_purged");
    await api.call(endpoint.DELETE, { method: "DELETE", params: { id: endpointId } });
    await refused("endpoint_deleted");
  });
});

describe("listing deliveries", () => {
  test("filters by state, endpoint, affiliate and event, and pages through each", async () => {
    await api.call(affiliates.POST, { body: { key: "lists", name: "Lists" } });
    const [one, two] = [await makeEndpoint("lists"), await makeEndpoint("lists")];
    for (let place = 0; place < 4; place += 1) await publish("lists", { id: `lists-${place}` });
    await fanOut(api.database.pool, fanOutOptions);
    const ids = async (query: Record<string, string>) =>
      (await api.call(deliveries.GET, { query })).body.data.map((row: { id: string }) => row.id);
    const all = await ids({ affiliate: "lists" });
    expect(all).toHaveLength(8);
    expect(all).toEqual([...all].sort((a, b) => Number(b) - Number(a)));
    await leave(all[0], "state = 'failed', next_attempt_at = now() + interval '1 hour'");
    await leave(all[1], "state = 'delivered'");
    await leave(all[2], "state = 'dead_letter'");

    expect(await ids({ endpoint: one })).toHaveLength(4);
    expect(await ids({ event: "lists-2" })).toHaveLength(2);
    expect(await ids({ event: "lists-2", endpoint: two })).toHaveLength(1);
    expect(await ids({ event: "lists-2", affiliate: "other" })).toEqual([]);
    expect(await ids({ affiliate: "lists", state: "failed" })).toEqual([all[0]]);
    expect(await ids({ affiliate: "lists", state: "delivered" })).toEqual([all[1]]);
    expect(await ids({ affiliate: "lists", state: "dead_letter" })).toEqual([all[2]]);
    expect(await ids({ affiliate: "lists", state: "pending" })).toEqual(all.slice(3));
    expect(await ids({ affiliate: "nobody" })).toEqual([]);
    expect(await ids({ state: "skipped" })).toEqual([]);

    for (const filter of [{ affiliate: "lists" }, { affiliate: "lists", state: "pending" }] as const) {
      const expected = await ids(filter);
      const walked: string[][] = [];
      let page = (await api.call(deliveries.GET, { query: { ...filter, limit: "3" } })).body;
      for (;;) {
        walked.push(page.data.map((row: { id: string }) => row.id));
        if (page.next_cursor === null) break;
        page = (
          await api.call(deliveries.GET, { query: { ...filter, limit: "3", cursor: page.next_cursor } })
        ).body;
      }
      expect(walked.flat()).toEqual(expected);
      const back = await ids({ ...filter, limit: "3", cursor: page.previous_cursor });
      expect(back).toEqual(walked.at(-2));
    }
  });

  test.each([
    [{ state: "held" }, "state"],
    [{ endpoint: "1" }, "endpoint"],
    [{ event: "a.b" }, "event"],
    [{ affiliate: "a b" }, "affiliate"],
    [{ limit: "101" }, "limit"],
    [{ cursor: Buffer.from('["n","0"]').toString("base64url") }, "cursor"],
    [{ cursor: Buffer.from('["n","1 or 1=1"]').toString("base64url") }, "cursor"],
  ])("%j is refused", async (query, field) => {
    expect(await api.call(deliveries.GET, { query: query as Record<string, string> })).toMatchObject({
      status: 422,
      body: { errors: [{ field }] },
    });
  });
});

describe("case 6: an event says why each endpoint did or did not get it", () => {
  test("one that matches no endpoint is stored and says so", async () => {
    await api.call(affiliates.POST, { body: { key: "lonely", name: "Lonely" } });
    const id = await publish("lonely");
    await fanOut(api.database.pool, fanOutOptions);
    expect(await api.call(event.GET, { params: { id } })).toMatchObject({
      status: 200,
      body: { id, recipients: [] },
    });
  });

  test("every endpoint of its affiliate is accounted for", async () => {
    await api.call(affiliates.POST, { body: { key: "many", name: "Many" } });
    const everything = await makeEndpoint("many");
    const deposits = await makeEndpoint("many", { event_types: ["deposit"] });
    const removed = await makeEndpoint("many");
    const id = await publish("many");
    const decisions = async () => {
      const { recipients } = (await api.call(event.GET, { params: { id } })).body;
      return Object.fromEntries(
        recipients.map((recipient: { endpoint: { id: string }; decision: string }) => [
          recipient.endpoint.id,
          recipient.decision,
        ]),
      );
    };
    expect(await decisions()).toEqual({
      [everything]: "awaiting_fan_out",
      [deposits]: "not_subscribed",
      [removed]: "awaiting_fan_out",
    });
    await fanOut(api.database.pool, fanOutOptions);
    await api.call(endpoint.DELETE, { method: "DELETE", params: { id: removed } });
    const later = await makeEndpoint("many");
    const unused = await makeEndpoint("many");
    await api.call(endpoint.DELETE, { method: "DELETE", params: { id: unused } });
    expect(await decisions()).toEqual({
      [everything]: "delivery",
      [deposits]: "not_subscribed",
      [removed]: "delivery",
      [later]: "created_later",
    });
    const { recipients } = (await api.call(event.GET, { params: { id } })).body;
    expect(recipients[0].delivery).toMatchObject({
      id: expect.stringMatching(/^\d+$/),
      state: "pending",
      reason: null,
    });
  });

  test("what is held or blocked says so there too", async () => {
    await api.call(affiliates.POST, { body: { key: "standing", name: "Standing" } });
    const held = await makeEndpoint("standing");
    const removed = await makeEndpoint("standing");
    await makeEndpoint("standing", { ordering: "per_key" });
    await publish("standing", { ordering_key: "k" });
    const id = await publish("standing", { ordering_key: "k" });
    await fanOut(api.database.pool, fanOutOptions);
    for (const paused of [held, removed]) await api.call(pause, { method: "POST", params: { id: paused } });
    await api.database.pool.query("update posthorn.endpoints set deleted_at = now() where id = $1", [
      removed,
    ]);
    const { recipients } = (await api.call(event.GET, { params: { id } })).body;
    expect(
      recipients.map(({ delivery }: { delivery: Record<string, unknown> }) => [
        delivery.held,
        delivery.blocked,
      ]),
    ).toEqual([
      [true, false],
      [false, false],
      [false, true],
    ]);
    await api.call(endpoint.DELETE, { method: "DELETE", params: { id: held } });
  });

  test("an event that is none is a 404", async () => {
    expect(await api.call(event.GET, { params: { id: "nothing-such" } })).toMatchObject({ status: 404 });
    expect(await api.call(event.GET, { params: { id: "a.b" } })).toMatchObject({ status: 404 });
  });
});

describe("the overview", () => {
  test("counts what waits, what failed and what the last hour did", async () => {
    const { pool } = api.database;
    await pool.query("delete from posthorn.deliveries");
    const active = await makeEndpoint("quiet");
    const held = await makeEndpoint("quiet", { event_types: ["deposit"] });
    await api.call(pause, { method: "POST", params: { id: held } });
    await pool.query(
      `insert into posthorn.deliveries (event_id, event_received_at, event_type, affiliate_id, endpoint_id, state, next_attempt_at)
       select 'o-' || n, now(), 'ftd', e.affiliate_id, e.id,
         (array['pending', 'failed', 'dead_letter'])[1 + n % 3]::posthorn.delivery_state,
         case when e.id = $2 then now() - interval '9 hours' else now() - interval '1 hour' end
       from posthorn.endpoints e, generate_series(1, 9) n where e.id in ($1, $2)`,
      [active, held],
    );
    await pool.query(
      `insert into posthorn.deliveries (event_id, event_received_at, event_type, affiliate_id, endpoint_id)
       select 'many-' || n, now(), 'ftd', affiliate_id, id from posthorn.endpoints, generate_series(1, 10000) n where id = $1`,
      [held],
    );
    await pool.query(
      `insert into posthorn.delivery_minutes values
         (date_trunc('minute', now()), 1, 10, 2, 1, 1000), (date_trunc('minute', now()), 2, 10, 0, 0, 500),
         (date_trunc('minute', now()) - interval '30 minutes', 1, 5, 3, 0, 500),
         (date_trunc('minute', now()) - interval '2 hours', 1, 100, 100, 100, 100)`,
    );
    await pool.query(
      `insert into posthorn.endpoint_latency
         (resolution, bucket_at, endpoint_id, worker_id, attempts, delivered, buckets, counts)
       select 'minute', date_trunc('minute', now()) - ago * interval '1 minute', $1::uuid, worker, 100, 90,
         buckets::smallint[], counts::int[]
       from (values (0, 1, '{470,600}', '{90,10}'), (50, 2, '{470}', '{100}'), (70, 1, '{700}', '{900}'))
         as r (ago, worker, buckets, counts)`,
      [everyEndpoint],
    );
    await pool.query(
      `insert into posthorn.workers (hostname, pid, version, lease_until)
       values ('a', 1, '0', now() + interval '1 minute'), ('b', 2, '0', now() - interval '1 minute')`,
    );
    await pool.query(
      "update posthorn.endpoint_health set in_flight = 3, consecutive_failures = 1 where endpoint_id = $1",
      [active],
    );
    const { status, body } = await api.call(overview);
    expect(status).toBe(200);
    const hour = { buckets: [470, 600], counts: [190, 10] };
    expect(body).toMatchObject({
      waiting: { count: 10_000, capped: true },
      awaiting_retry: { count: 6, capped: false },
      dead_letters: { count: 6, capped: false },
      in_flight: { count: 3, capped: false },
      delivered_last_hour: 25,
      failed_attempts_last_hour: 5,
      new_dead_letters_last_hour: 1,
      mean_success_ms: 80,
      p50_ms: quantileMs(hour, 0.5),
      p95_ms: quantileMs(hour, 0.95),
      p99_ms: quantileMs(hour, 0.99),
      workers_alive: 1,
      endpoints: { paused: 1, disabled: 0, failing: 1 },
    });
    const ageMs = Date.parse(body.at) - Date.parse(body.oldest_waiting_at);
    expect(ageMs).toBeGreaterThan(3_500_000);
    expect(ageMs).toBeLessThan(3_700_000);
    expect(body.throughput).toHaveLength(60);
    expect(body.throughput.at(-1)).toMatchObject({ delivered: 20, failed: 2 });
    expect(body.throughput[29]).toMatchObject({ delivered: 5, failed: 3 });
    expect(body.throughput[0]).toMatchObject({ delivered: 0, failed: 0 });

    const { backlog } = (await api.call(endpoint.GET, { params: { id: held } })).body;
    expect(backlog).toMatchObject({
      waiting: 10_000,
      awaiting_retry: 3,
      dead_letters: 3,
      counted_to: 10_000,
    });
    expect(Date.parse(body.at) - Date.parse(backlog.oldest_waiting_at)).toBeGreaterThan(8 * 3_600_000);
  });
});

describe("finding by id", () => {
  test("tells what has it", async () => {
    const endpointId = await makeEndpoint("acme");
    const eventId = await publish("acme", { id: "find-me" });
    await fanOut(api.database.pool, fanOutOptions);
    const { body: list } = await api.call(deliveries.GET, { query: { event: eventId } });
    const deliveryId = list.data[0].id;
    const found = async (q: string) => (await api.call(find, { body: { q } })).body.data;
    expect(await found(` ${endpointId} `)).toEqual([{ kind: "endpoint", id: endpointId }]);
    expect(await found("find-me")).toEqual([{ kind: "event", id: "find-me" }]);
    expect(await found(deliveryId)).toEqual([{ kind: "delivery", id: deliveryId }]);
    await publish("acme", { id: deliveryId });
    expect(await found(deliveryId)).toEqual([
      { kind: "delivery", id: deliveryId },
      { kind: "event", id: deliveryId },
    ]);
    for (const nothing of [
      "nothing",
      "999999999",
      "01890a5d-ac96-774b-bcce-b302099a8057",
      "' or 1=1 --",
      "é",
    ]) {
      expect(await found(nothing)).toEqual([]);
    }
    for (const q of ["", " ", "x".repeat(513), "a\0"]) {
      expect(await api.call(find, { body: { q } })).toMatchObject({
        status: 422,
        body: { errors: [{ field: "q" }] },
      });
    }
  });
});

test("readyz says whether the database answers", async () => {
  expect(await readyz()).toMatchObject({ status: 200 });
});
