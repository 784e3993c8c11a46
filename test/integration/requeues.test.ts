import { v7 as uuidv7 } from "uuid";
import { describe, expect, test } from "vitest";
import type { Actor } from "#lib/auth/actor.ts";
import { inClientTransaction } from "#lib/db/database.ts";
import { deliveryListQuery } from "#lib/deliveries/schema.ts";
import { listDeliveries } from "#lib/deliveries/service.ts";
import { runRequeueBatch } from "#lib/queue/requeue.ts";
import { resendDelivery } from "#lib/queue/resend.ts";
import type { RequeueFilterInput } from "#lib/requeues/schema.ts";
import * as service from "#lib/requeues/service.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { makeDeadLetters } from "#test/helpers/dead-letters.ts";
import { createAffiliate, createEndpoint, type TestEndpoint } from "#test/helpers/factories.ts";
import { POST as cancel } from "../../app/api/v1/requeues/[id]/cancel/route.ts";
import { GET as get } from "../../app/api/v1/requeues/[id]/route.ts";
import { POST as preview } from "../../app/api/v1/requeues/preview/route.ts";
import * as requeues from "../../app/api/v1/requeues/route.ts";

const api = setUpApi();
const pool = () => api.database.pool;
const url = "http://127.0.0.1:9/";
const reason = "It answers again";

type Wish = { filter?: RequeueFilterInput; operation?: string; mode?: string; [name: string]: unknown };
const look = async (wish: Wish) => (await api.call(preview, { body: { filter: {}, ...wish } })).body;
const make = (wish: Wish) => api.call(requeues.POST, { body: { filter: {}, reason, ...wish } });
const shown = async (id: string) => (await api.call(get, { params: { id } })).body;

/** Does what is left of a requeue at once, whatever its rate. */
async function finish(id: string) {
  for (let i = 0; i < 200; i++) {
    const { state } = await shown(id);
    if (state !== "pending" && state !== "running") return shown(id);
    await pool().query("update posthorn.requeues set next_batch_at = now() where id = $1", [id]);
    await runRequeueBatch(pool(), (_, error) => {
      throw error;
    });
  }
  throw new Error("the requeue came to no end");
}

/** Makes one and does it; what its preview said before. */
async function run(wish: Wish) {
  const seen = await look(wish);
  const made = await make(wish);
  expect(made.body).toMatchObject({ state: "pending", total: seen.total });
  return { seen, ended: await finish(made.body.id) };
}

async function deadEndpoint(
  options: Partial<Omit<Parameters<typeof makeDeadLetters>[1], "endpoint">> & {
    endpoint?: Partial<Parameters<typeof createEndpoint>[1]>;
  } = {},
): Promise<TestEndpoint> {
  const { endpoint: settings, ...dead } = options;
  const endpoint = await createEndpoint(pool(), { url, ...settings });
  await makeDeadLetters(pool(), { count: 1, ...dead, endpoint });
  return endpoint;
}

async function deliveriesOf({ id }: TestEndpoint) {
  const { rows } = await pool().query<{ id: string; state: string; reason: string | null; blocked: boolean }>(
    "select id, state, reason, blocked from posthorn.deliveries where endpoint_id = $1 order by id",
    [id],
  );
  return rows;
}
const statesOf = async (endpoint: TestEndpoint) => (await deliveriesOf(endpoint)).map(({ state }) => state);
const idsOf = async (endpoint: TestEndpoint) => (await deliveriesOf(endpoint)).map(({ id }) => id);
const set = (assignment: string, id: string) =>
  pool().query(`update posthorn.deliveries set ${assignment} where id = $1`, [id]);

describe("what is refused, and why", () => {
  test("each by its own reason, the same in preview and run; what it is not about stays out", async () => {
    const endpoint = await deadEndpoint({ count: 6 });
    const gone = await deadEndpoint();
    const [flying, waiting, skipped, purged, delivered, dead] = (await idsOf(endpoint)) as [
      string,
      ...string[],
    ];
    await set("state = 'in_flight'", flying);
    await set("state = 'pending', ended_at = null", waiting as string);
    await set("state = 'skipped'", skipped as string);
    await pool().query(
      "delete from posthorn.event_bodies where event_id = (select event_id from posthorn.deliveries where id = $1)",
      [purged],
    );
    await set("state = 'delivered', delivered_at = now(), reason = null", delivered as string);
    await pool().query("update posthorn.endpoints set deleted_at = now() where id = $1", [gone.id]);
    const ids = [...(await idsOf(endpoint)), ...(await idsOf(gone))];

    const { seen, ended } = await run({ filter: { ids } });
    const refused = [
      { why: "in_flight", count: 1 },
      { why: "already_waiting", count: 1 },
      { why: "skipped", count: 1 },
      { why: "body_purged", count: 1 },
      { why: "endpoint_deleted", count: 1 },
    ];
    for (const answer of [seen, ended]) {
      expect(answer.total).toBe(7);
      expect(answer.refused).toHaveLength(refused.length);
      expect(answer.refused).toEqual(expect.arrayContaining(refused));
    }
    expect(seen.accepted).toBe(2);
    expect(ended).toMatchObject({ state: "completed", done: 2, failed: [] });
    expect(ended.sample).toContainEqual({ delivery: purged, why: "body_purged", reason: null });
    expect(await statesOf(endpoint)).toEqual([
      "in_flight",
      "pending",
      "skipped",
      "dead_letter",
      "pending",
      "pending",
    ]);
    expect(dead).toBeDefined();
    expect(await statesOf(gone)).toEqual(["dead_letter"]);
  });

  test("what somebody resent meanwhile has moved on", async () => {
    const endpoint = await deadEndpoint({ count: 3 });
    const { body: made } = await make({ filter: { endpoint: endpoint.id } });
    const [first] = await idsOf(endpoint);
    await inClientTransaction(pool(), (client) => resendDelivery(client, first as string));
    expect(await finish(made.id)).toMatchObject({
      total: 3,
      done: 2,
      refused: [{ why: "moved_on", count: 1 }],
    });
  });

  test("an endpoint that is paused, disabled, broken or asked for a pause is no reason: it is said to be held", async () => {
    const endpoints: TestEndpoint[] = [];
    for (let i = 0; i < 6; i++) endpoints.push(await deadEndpoint());
    const [paused, disabled, open, asking, asked] = endpoints as [
      TestEndpoint,
      TestEndpoint,
      TestEndpoint,
      TestEndpoint,
      TestEndpoint,
    ];
    await pool().query("update posthorn.endpoints set status = 'paused' where id = $1", [paused.id]);
    await pool().query("update posthorn.endpoints set status = 'disabled' where id = $1", [disabled.id]);
    await pool().query("update posthorn.endpoint_health set breaker = 'open' where endpoint_id = $1", [
      open.id,
    ]);
    const until = (minutes: number, { id }: TestEndpoint) =>
      pool().query(
        "update posthorn.endpoint_health set hold_until = now() + $1 * interval '1 minute' where endpoint_id = $2",
        [minutes, id],
      );
    await until(40, asking);
    await until(-1, asked);
    const ids = (await Promise.all(endpoints.map(idsOf))).flat();
    const { seen, ended } = await run({ filter: { ids } });
    expect(seen).toMatchObject({ total: 6, accepted: 6, held: 4, refused: [] });
    const holds = new Map(seen.endpoints.map(({ id, hold }: { id: string; hold: string }) => [id, hold]));
    expect(endpoints.map(({ id }) => holds.get(id))).toEqual([
      "paused",
      "disabled",
      "breaker",
      "asked_to_wait",
      null,
      null,
    ]);
    expect(ended).toMatchObject({ done: 6, refused: [] });
  });
});

describe("which are meant", () => {
  test("each filter narrows; what came after as_of is not in it", async () => {
    const affiliate = await createAffiliate(pool());
    const endpoint = await deadEndpoint({ endpoint: { affiliate }, reason: "unauthorized", status: 401 });
    await makeDeadLetters(pool(), {
      endpoint,
      count: 2,
      type: "deposit",
      diedAt: "now() - interval '2 days'",
    });
    const hourAgo = new Date(Date.now() - 3 * 3_600_000).toISOString();
    const total = async (more: object) =>
      (await look({ filter: { affiliate: affiliate.key, ...more } as RequeueFilterInput })).total;
    expect(await total({})).toBe(3);
    expect(await total({ endpoint: endpoint.id })).toBe(3);
    expect(await total({ reasons: ["unauthorized"] })).toBe(1);
    expect(await total({ reasons: ["unauthorized", "server_error"] })).toBe(3);
    expect(await total({ reasons: ["unauthorized"], status_class: "4xx" })).toBe(1);
    expect(await total({ status_class: "5xx" })).toBe(2);
    expect(await total({ status_class: "none" })).toBe(0);
    expect(await total({ status: 500 })).toBe(2);
    expect(await total({ event_type: "deposit" })).toBe(2);
    expect(await total({ from: hourAgo })).toBe(1);
    expect(await total({ to: hourAgo })).toBe(2);
    const { body: made } = await make({ filter: { affiliate: affiliate.key }, as_of: hourAgo });
    expect(made).toMatchObject({ total: 2, filter: { affiliate: { key: affiliate.key } } });
    expect(await finish(made.id)).toMatchObject({ done: 2 });
  });

  test("recover: what died, what awaits a retry and what is held, since a time", async () => {
    const endpoint = await deadEndpoint({ count: 2 });
    await makeDeadLetters(pool(), { endpoint, count: 3, state: "failed" });
    await makeDeadLetters(pool(), { endpoint, count: 4, state: "pending" });
    await makeDeadLetters(pool(), {
      endpoint,
      count: 5,
      state: "failed",
      diedAt: "now() - interval '2 days'",
    });
    await makeDeadLetters(pool(), {
      endpoint,
      count: 1,
      state: "pending",
      diedAt: "now() - interval '2 days'",
    });
    const filter: RequeueFilterInput = {
      endpoint: endpoint.id,
      states: ["dead_letter", "failed", "held"],
      from: new Date(Date.now() - 7_200_000).toISOString(),
    };
    // What waits for an active endpoint goes by itself.
    expect(await look({ filter })).toMatchObject({ total: 5, accepted: 5 });
    await pool().query("update posthorn.endpoints set status = 'paused' where id = $1", [endpoint.id]);
    const { seen, ended } = await run({ filter });
    expect(seen).toMatchObject({ total: 9, accepted: 9, held: 9 });
    expect(ended).toMatchObject({ total: 9, done: 9, refused: [] });
    const { rows } = await pool().query(
      `select count(*)::int as n from posthorn.deliveries
       where endpoint_id = $1 and state = 'pending' and attempts_charged = 0
         and next_attempt_at between now() - interval '1 minute' and now()`,
      [endpoint.id],
    );
    // Not the old one that is held.
    expect(rows).toEqual([{ n: 9 }]);
  });
});

describe("order", () => {
  test("a later one that was delivered supersedes; dead letters of one key go again together, in their order", async () => {
    const endpoint = await deadEndpoint({ count: 1_201, orderingKeys: 2, endpoint: { ordering: "per_key" } });
    // Of the first key, which has the even places, number 602 was delivered: what is before it is superseded.
    const ids = await idsOf(endpoint);
    await set("state = 'delivered', delivered_at = now(), reason = null", ids[601] as string);
    const { seen, ended } = await run({ filter: { endpoint: endpoint.id } });
    for (const answer of [seen, ended]) {
      expect(answer).toMatchObject({ total: 1_200, refused: [{ why: "superseded", count: 300 }] });
    }
    expect(ended.done).toBe(900);
    const rows = await deliveriesOf(endpoint);
    const waiting = rows.filter(({ state }) => state === "pending");
    expect(waiting).toHaveLength(900);
    // One of each key is at its head.
    const heads = waiting.filter(({ blocked }) => !blocked).map(({ id }) => id);
    expect(heads).toEqual([ids[0], ids[603]]);
  });

  test("discarding a dead letter lets go what a strict key held behind it", async () => {
    const endpoint = await deadEndpoint({ orderingKeys: 1, endpoint: { ordering: "strict" } });
    await makeDeadLetters(pool(), { endpoint, count: 1, state: "pending", orderingKeys: 1 });
    const [, behind] = (await idsOf(endpoint)) as [string, string];
    await set("blocked = true", behind);
    const { ended } = await run({ operation: "discard", filter: { endpoint: endpoint.id } });
    expect(ended).toMatchObject({ operation: "discard", done: 1 });
    expect(await deliveriesOf(endpoint)).toMatchObject([
      { state: "discarded", reason: "discarded_by_hand" },
      { state: "pending", blocked: false },
    ]);
  });

  test("discarding takes what waits too, and leaves what has ended", async () => {
    const endpoint = await deadEndpoint({ count: 2 });
    await makeDeadLetters(pool(), { endpoint, count: 2, state: "failed" });
    const ids = await idsOf(endpoint);
    await set("state = 'delivered'", ids[0] as string);
    const { seen, ended } = await run({ operation: "discard", filter: { ids } });
    expect(seen).toMatchObject({ accepted: 3, held: 0, refused: [{ why: "already_ended", count: 1 }] });
    expect(ended).toMatchObject({ done: 3, refused: [{ why: "already_ended", count: 1 }] });
    expect(await statesOf(endpoint)).toEqual(["delivered", "discarded", "discarded", "discarded"]);
  });
});

test("rendered again: postbacks by the template as it is now, and what it has nothing for is left", async () => {
  const endpoint = await deadEndpoint({
    count: 150,
    endpoint: { url: `${url}?c={click_id}`, postback: {} },
    data: '{"click_id":"c-1"}',
  });
  await makeDeadLetters(pool(), { endpoint, count: 2, data: "{}" });
  const filter = { endpoint: endpoint.id };
  // Nothing was ever rendered for them.
  expect(await look({ filter })).toMatchObject({
    accepted: 0,
    at_most: false,
    refused: [{ why: "cannot_render", count: 152 }],
  });
  expect(await make({ filter })).toMatchObject({ status: 422, body: { code: "nothing_to_do" } });

  const { seen, ended } = await run({ filter, mode: "render_again" });
  const failed = [{ reason: "missing_click_id", count: 2 }];
  expect(seen).toMatchObject({
    total: 152,
    accepted: 150,
    at_most: false,
    refused: [],
    failed,
    endpoints: [{ accepted: 150, failed }],
  });
  expect(ended).toMatchObject({ done: 150, refused: [], failed });
  const left = (await idsOf(endpoint)).slice(-2);
  expect(ended.sample).toEqual(
    left.map((delivery) => ({ delivery, why: "cannot_render", reason: "missing_click_id" })),
  );
  const { rows } = await pool().query(
    `select distinct url from posthorn.delivery_requests r join posthorn.deliveries d on d.id = r.delivery_id
     where endpoint_id = $1`,
    [endpoint.id],
  );
  expect(rows).toEqual([{ url: `${url}?c=c-1` }]);

  // As they are now frozen they go without a doubt.
  await pool().query(
    "update posthorn.deliveries set state = 'dead_letter', ended_at = now() where endpoint_id = $1",
    [endpoint.id],
  );
  expect(await look({ filter })).toMatchObject({ accepted: 150, failed: [] });
  expect(await look({ filter, mode: "render_again", operation: "discard" })).toMatchObject({
    accepted: 152,
    failed: [],
  });
});

describe("bad input", () => {
  const endpoint = uuidv7();
  test.each<[string, Wish, string]>([
    ["a rate of zero", { rate_per_second: 0 }, "rate_per_second"],
    ["a rate below zero", { rate_per_second: -1 }, "rate_per_second"],
    ["a reason that nothing has", { filter: { reasons: ["bad_mood" as never] } }, "filter.reasons.0"],
    ["an empty list of reasons", { filter: { reasons: [] } }, "filter.reasons"],
    ["the one reason that there was", { filter: { reason: "unauthorized" } as never }, "filter.reason"],
    ["no reason for it", { reason: " " }, "reason"],
    [
      "too many ids",
      { filter: { ids: Array.from({ length: 1_001 }, (_, i) => String(i + 1)) } },
      "filter.ids",
    ],
    ["no ids", { filter: { ids: [] } }, "filter.ids"],
    ["ids and something else", { filter: { ids: ["1"], endpoint } }, "filter.ids"],
    ["an id that is none", { filter: { ids: ["x"] } }, "filter.ids.0"],
    ["what waits of all endpoints", { filter: { states: ["failed"] } }, "filter.endpoint"],
    [
      "a span that ends before it begins",
      { filter: { from: "2026-01-02T00:00:00Z", to: "2026-01-01T00:00:00Z" } },
      "filter.to",
    ],
    ["a field that is none", { filter: { colour: "red" } as never }, "filter.colour"],
  ])("%s", async (_, wish, field) => {
    const answer = await make(wish);
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid_input" } });
    expect(answer.body.errors.map((fault: { field: string }) => fault.field)).toContain(field);
  });

  test("what matches nothing is refused, and nothing is made", async () => {
    const { rows: before } = await pool().query("select count(*) from posthorn.requeues");
    for (const filter of [{ endpoint }, { ids: ["999999999"] }, { affiliate: "nobody-has-this" }]) {
      expect(await make({ filter })).toMatchObject({ status: 422, body: { code: "nothing_matches" } });
    }
    const { rows } = await pool().query("select count(*) from posthorn.requeues");
    expect(rows).toEqual(before);
  });
});

describe("what a requeue put back can be listed, by what has become of it", () => {
  const idsIn = async (query: Record<string, string>, affiliateId: string | null = null) => {
    const limit = deliveryListQuery.parse(query);
    return (await listDeliveries(keyOf(affiliateId), limit)).data.map(({ id }) => id);
  };

  test("also what failed again, and neither what it left nor another's", async () => {
    const endpoint = await deadEndpoint({ count: 4 });
    const other = await deadEndpoint({ count: 2 });
    const elsewhere = await deadEndpoint({ count: 1 });
    const [refused, ...taken] = (await idsOf(endpoint)) as [string, ...string[]];
    await pool().query(
      "delete from posthorn.event_bodies where event_id = (select event_id from posthorn.deliveries where id = $1)",
      [refused],
    );
    const ids = [refused, ...taken, ...(await idsOf(other))];
    const { ended } = await run({ filter: { ids }, mode: "same_url" });
    await run({ filter: { endpoint: elsewhere.id } });
    expect(ended).toMatchObject({ state: "completed", done: 5 });
    await set("state = 'dead_letter', reason = 'server_error'", taken[0] as string);
    await set("state = 'failed', reason = 'server_error'", taken[1] as string);
    const requeue = ended.id;
    expect(await idsIn({ requeue })).toEqual([...ids.slice(1)].reverse());
    expect(await idsIn({ requeue, state: "failed,dead_letter" })).toEqual([taken[1], taken[0]]);
    expect(await idsIn({ requeue, state: "pending", endpoint: other.id })).toEqual(ids.slice(4).reverse());
    expect(await idsIn({ requeue }, other.affiliateId)).toEqual(ids.slice(4).reverse());
    expect(await idsIn({ requeue: uuidv7() })).toEqual([]);
    // Page by page, as any list.
    const { data, next_cursor } = await listDeliveries(
      keyOf(null),
      deliveryListQuery.parse({ requeue, limit: 3 }),
    );
    expect(data).toHaveLength(3);
    expect(await idsIn({ requeue, cursor: next_cursor as string })).toEqual(ids.slice(1, 3).reverse());
  });

  test("nothing is kept of what was discarded", async () => {
    const endpoint = await deadEndpoint({ count: 2 });
    const { ended } = await run({ filter: { endpoint: endpoint.id }, operation: "discard" });
    expect(await idsIn({ requeue: ended.id })).toEqual([]);
  });
});

describe("under a rate", () => {
  const batch = (id: string) =>
    runRequeueBatch(pool(), (_, error) => {
      throw error;
    }).then(() => shown(id));
  const nextBatch = async (id: string) => {
    const { rows } = await pool().query<{ atMs: number; inMs: number }>(
      `select extract(epoch from next_batch_at)::float8 * 1000 as "atMs",
         extract(epoch from next_batch_at - now())::float8 * 1000 as "inMs"
       from posthorn.requeues where id = $1`,
      [id],
    );
    return rows[0] as { atMs: number; inMs: number };
  };

  test("a slow one ends with its last, and does not wait for its turn to find nothing", async () => {
    const endpoint = await deadEndpoint({ count: 2 });
    const { body: made } = await make({ filter: { endpoint: endpoint.id }, rate_per_second: 0.01 });
    expect(await batch(made.id)).toMatchObject({ state: "running", done: 1 });
    expect((await nextBatch(made.id)).inMs).toBeGreaterThan(90_000);
    await pool().query("update posthorn.requeues set next_batch_at = now() where id = $1", [made.id]);
    expect(await batch(made.id)).toMatchObject({ state: "completed", done: 2 });
  });

  test("what is refused takes none of it", async () => {
    const endpoint = await deadEndpoint({ count: 260 });
    await pool().query(
      `delete from posthorn.event_bodies b using posthorn.deliveries d
       where d.endpoint_id = $1 and b.event_id = d.event_id and d.id not in (
         select id from posthorn.deliveries where endpoint_id = $1 order by id limit 1 offset 150)
         and d.id not in (select id from posthorn.deliveries where endpoint_id = $1 order by id desc limit 9)`,
      [endpoint.id],
    );
    const { body: made } = await make({ filter: { endpoint: endpoint.id }, rate_per_second: 4 });
    const seen: number[][] = [];
    for (let i = 0; i < 20; i++) {
      const before = await nextBatch(made.id);
      const { state, done, refused } = await batch(made.id);
      seen.push([done, refused[0]?.count ?? 0]);
      if (state === "completed") break;
      if (done === seen.at(-2)?.[0] || (i === 0 && done === 0))
        expect((await nextBatch(made.id)).inMs).toBeLessThan(1);
      else {
        // Against when it was due itself, however long ago that is on a busy machine.
        expect((await nextBatch(made.id)).atMs - before.atMs).toBeGreaterThan(249);
        await pool().query("update posthorn.requeues set next_batch_at = now() where id = $1", [made.id]);
      }
    }
    // Those that go one at a time, those that do not a hundred at a time or on the way to the next.
    expect(seen).toEqual([[0, 101], [1, 201], ...Array.from({ length: 9 }, (_, n) => [2 + n, 250])]);
  });
});

describe("two requeues", () => {
  test("a second one over the same deliveries names the first, until that has ended", async () => {
    const dead = await deadEndpoint({ count: 3 });
    const [one] = await idsOf(dead);
    const { body: first } = await make({ filter: { endpoint: dead.id } });
    const wish = { filter: { ids: [one as string] }, operation: "discard" };
    expect(await look(wish)).toMatchObject({ overlaps: [{ id: first.id, count: 1 }] });
    const refused = await make(wish);
    expect(refused).toMatchObject({ status: 409, body: { code: "overlapping" } });
    expect(refused.body.detail).toContain(first.id);
    await api.call(cancel, { method: "POST", params: { id: first.id } });
    expect((await make(wish)).status).toBe(201);
    expect(await api.call(cancel, { method: "POST", params: { id: first.id } })).toMatchObject({
      status: 409,
      body: { code: "requeue_ended" },
    });
  });

  test("made at once over the same deliveries, one is made", async () => {
    const dead = await deadEndpoint({ count: 3 });
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => make({ filter: { endpoint: dead.id } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });

  test("100 may be under way: every one of them is seen, and the next has to wait for the end of one", async () => {
    const dead = await deadEndpoint();
    const { body: oldest } = await make({ filter: { endpoint: dead.id } });
    const unfinished = "state in ('pending', 'running')";
    await pool().query(
      `insert into posthorn.requeues (id, operation, mode, filter, as_of, last_id, reason, actor_kind, actor_name, total)
       select gen_random_uuid(), 'requeue', 'same_url', '{"ids":["999999999"]}', now(), 0, 'full', 'system', 'test', 1
       from generate_series(1, 100 - (select count(*)::int from posthorn.requeues where ${unfinished}))`,
    );
    const other = { filter: { endpoint: (await deadEndpoint()).id } };
    expect(await look({ filter: { endpoint: dead.id } })).toMatchObject({
      overlaps: [{ id: oldest.id, count: 1 }],
    });
    expect(await make(other)).toMatchObject({ status: 409, body: { code: "too_many_requeues" } });
    await pool().query(
      "delete from posthorn.requeues where id = (select id from posthorn.requeues where reason = 'full' limit 1)",
    );
    expect((await make(other)).status).toBe(201);
    await pool().query("delete from posthorn.requeues where reason = 'full'");
  });

  test("with the same request id: the first again, also after it has ended; another content is refused", async () => {
    const dead = await deadEndpoint({ count: 3 });
    const wish = { filter: { endpoint: dead.id }, request_id: uuidv7() };
    const { body: first } = await make(wish);
    await finish(first.id);
    expect(await make(wish)).toMatchObject({ status: 201, body: { id: first.id, state: "completed" } });
    for (const other of [
      { reason: "another" },
      { filter: {} },
      { operation: "discard" },
      { rate_per_second: 1 },
    ]) {
      expect(await make({ ...wish, ...other })).toMatchObject({ status: 409, body: { code: "id_reused" } });
    }
  });
});

test("several workers at two requeues: every delivery is put back once", async () => {
  await pool().query(`
    create table public.put_back (id bigint);
    create function public.note() returns trigger language plpgsql as
      $$ begin insert into public.put_back values (new.id); return new; end $$;
    create trigger note after update on posthorn.deliveries for each row
      when (old.state = 'dead_letter' and new.state = 'pending') execute function public.note()`);
  const made: { id: string }[] = [];
  for (let i = 0; i < 2; i++) {
    const endpoint = await deadEndpoint({ count: 3_000 });
    made.push((await make({ filter: { endpoint: endpoint.id } })).body);
  }
  const faults: unknown[] = [];
  const isOpen = async () =>
    (await Promise.all(made.map(({ id }) => shown(id)))).some(({ state }) => state !== "completed");
  const worker = async () => {
    while (await isOpen()) await runRequeueBatch(pool(), (_, error) => faults.push(error));
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  expect(faults).toEqual([]);
  for (const { id } of made) expect(await shown(id)).toMatchObject({ done: 3_000, refused: [] });
  const { rows } = await pool().query(
    "select count(*)::int as n, count(distinct id)::int as ids from public.put_back",
  );
  expect(rows).toEqual([{ n: 6_000, ids: 6_000 }]);
  await pool().query(
    "drop trigger note on posthorn.deliveries; drop function public.note; drop table public.put_back",
  );
});

test("a fault of ours is tried again, ever later, and ends it after the eighth in a row", async () => {
  const endpoint = await deadEndpoint({ count: 2 });
  const { body: made } = await make({ filter: { endpoint: endpoint.id } });
  await pool().query(`
    create function public.refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
    create trigger refuse before update on posthorn.deliveries for each row execute function public.refuse()`);
  const faults: string[] = [];
  for (let i = 0; i < 8; i++) {
    await pool().query("update posthorn.requeues set next_batch_at = now() where id = $1", [made.id]);
    await runRequeueBatch(pool(), (id) => faults.push(id));
    // Not at once: later and later, and then no more.
    const waitMs = await runRequeueBatch(pool(), () => undefined);
    if (i < 7) expect(waitMs).toBeGreaterThan(0);
    else expect(waitMs).toBeNull();
  }
  await pool().query("drop trigger refuse on posthorn.deliveries; drop function public.refuse");
  expect(faults).toEqual(Array(8).fill(made.id));
  expect(await shown(made.id)).toMatchObject({ state: "failed", done: 0, ended_at: expect.any(String) });
  expect(await statesOf(endpoint)).toEqual(["dead_letter", "dead_letter"]);
});

/** Whoever manages with a key, of all or of one affiliate. */
const keyOf = (affiliateId: string | null): Actor => ({
  kind: "api_key",
  purpose: "manage",
  id: "key",
  name: "Key",
  affiliateId,
  from: { address: null, userAgent: null },
});

describe("an actor of one affiliate", () => {
  test("takes only its own, and sees no requeue of others", async () => {
    const mine = await deadEndpoint();
    const theirs = await deadEndpoint();
    const actor = keyOf(mine.affiliateId);
    const wish = { operation: "requeue", mode: "same_url", reason } as const;
    const others = [
      { ids: await idsOf(theirs) },
      { endpoint: theirs.id },
      { affiliate: theirs.affiliateKey },
    ];
    for (const filter of others) {
      await expect(service.createRequeue(actor, { ...wish, filter })).rejects.toMatchObject({
        code: "nothing_matches",
      });
    }
    const made = await service.createRequeue(actor, { ...wish, filter: {} });
    expect(made).toMatchObject({ total: 1, filter: { affiliate: { id: mine.affiliateId } } });
    await finish(made.id);
    expect([await statesOf(mine), await statesOf(theirs)]).toEqual([["pending"], ["dead_letter"]]);

    const foreign = await service.createRequeue(keyOf(null), { ...wish, filter: { endpoint: theirs.id } });
    await expect(service.cancelRequeue(actor, foreign.id)).rejects.toMatchObject({ code: "not_found" });
    await expect(service.getRequeue(actor, foreign.id)).rejects.toMatchObject({ code: "forbidden" });
    await expect(service.listRequeues(actor, { limit: 50 })).rejects.toMatchObject({ code: "forbidden" });
    await finish(foreign.id);
  });
});

test("what was started and cancelled is in the audit log, and the list is paged", async () => {
  const endpoint = await deadEndpoint();
  const older = await deadEndpoint();
  const wish = { filter: { endpoint: older.id } };
  await api.call(cancel, { method: "POST", params: { id: (await make(wish)).body.id } });
  const { body: made } = await make({ filter: { endpoint: endpoint.id }, rate_per_second: 2.5 });
  await api.call(cancel, { method: "POST", params: { id: made.id } });
  const { rows } = await pool().query(
    `select action, affiliate_id, after->>'reason' as reason, after->>'total' as total from posthorn.audit_log
     where object_kind = 'requeue' and object_id = $1 order by id`,
    [made.id],
  );
  expect(rows).toEqual([
    { action: "requeue.create", affiliate_id: endpoint.affiliateId, reason, total: "1" },
    { action: "requeue.cancel", affiliate_id: endpoint.affiliateId, reason: null, total: "1" },
  ]);
  const { body: page } = await api.call(requeues.GET, { query: { limit: "1", state: "cancelled" } });
  expect(page).toMatchObject({
    data: [{ id: made.id, rate_per_second: 2.5 }],
    next_cursor: expect.any(String),
  });
});
