import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { inClientTransaction } from "#lib/db/database.ts";
import type { Filter } from "#lib/delivery/filters.ts";
import { renderAgain as renderOne, renderWaiting as renderWaitingOf } from "#lib/queue/render-again.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { createEndpoint, publish, type TestEndpoint } from "#test/helpers/factories.ts";
import { type ReceivedRequest, startReceiver } from "#test/helpers/receiver.ts";
import { eventually, startWorker } from "#test/helpers/workers.ts";
import * as resend from "../../app/api/v1/deliveries/[id]/resend/route.ts";
import * as delivery from "../../app/api/v1/deliveries/[id]/route.ts";
import * as renderWaiting from "../../app/api/v1/endpoints/[id]/render-waiting/route.ts";
import * as event from "../../app/api/v1/events/[id]/route.ts";

/** Postbacks from publishing to the socket: what is rendered, stored, signed, shown and received is one string. */
const receiver = await startReceiver();
const api = setUpApi();
let path = "";
let paths = 0;

beforeEach(async () => {
  path = `/pb-${++paths}`;
  await startWorker(api.database.url);
});
afterAll(() => receiver.close());

type Options = Partial<Parameters<typeof createEndpoint>[1]>;

function postback(query: string, options: Options = {}): Promise<TestEndpoint> {
  return createEndpoint(api.database.pool, {
    url: receiver.url(path) + query,
    eventTypes: ["conversion.approved"],
    postback: {},
    ...options,
  });
}

const send = (to: TestEndpoint, data: object | string, id?: string) =>
  publish(api.database.pool, {
    affiliate: to.affiliateKey,
    data: typeof data === "string" ? data : JSON.stringify(data),
    occurredAt: "2026-01-31T23:30:00.000Z",
    ...(id ? { id } : {}),
  });

async function deliveriesOf(to: TestEndpoint) {
  const { rows } = await api.database.pool.query(
    "select id, state, reason, ordering_key from posthorn.deliveries where endpoint_id = $1 order by id",
    [to.id],
  );
  return rows;
}

const ended = (to: TestEndpoint, count = 1) =>
  eventually(async () => {
    const rows = await deliveriesOf(to);
    return rows.length === count && rows.every(({ state }) => !["pending", "in_flight"].includes(state))
      ? rows
      : null;
  });

const shown = async (id: string) => (await api.call(delivery.GET, { params: { id } })).body;
function header(request: ReceivedRequest | undefined, name: string): string | undefined {
  const at = request?.headers.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === name) ?? -1;
  return at === -1 ? undefined : request?.headers[at + 1];
}

describe("a GET postback", () => {
  test("what is stored, shown and received is one string, digits and all", async () => {
    const to = await postback("?c={click_id}&p={payout}&s={sub1|none}&d={delivery_id}&t={timestamp}&a=a+b");
    const id = await send(to, '{"click_id":"a&b 🎰","payout":10.50}');
    const [made] = await ended(to);
    const [request] = receiver.requests(path);
    expect(request?.method).toBe("GET");
    expect(request?.path).toBe(
      `${path}?c=a%26b%20%F0%9F%8E%B0&p=10.50&s=none&d=${made.id}&t=1769902200&a=a+b`,
    );
    expect(request?.body.length).toBe(0);
    expect(header(request, "webhook-id")).toBe(id);
    expect(header(request, "content-type")).toBeUndefined();
    const body = await shown(made.id);
    expect(body).toMatchObject({ state: "delivered", endpoint: { kind: "postback" } });
    expect(body.request).toEqual({
      method: "GET",
      url: receiver.url(request?.path ?? ""),
      content_type: null,
      body: null,
    });
    expect(body.attempts[0].request_url).toBe(body.request.url);
  });

  test("a secret is in what is sent, and its macro in whatever is stored or shown", async () => {
    const to = await postback("?c={click_id}&token={secret.token}", {
      postback: { secrets: { token: "canary value/1" } },
    });
    await send(to, { click_id: "q" });
    const [made] = await ended(to);
    expect(receiver.requests(path)[0]?.path).toBe(`${path}?c=q&token=canary%20value%2F1`);
    const body = await shown(made.id);
    expect(body.request.url).toBe(receiver.url(`${path}?c=q&token={secret.token}`));
    expect(body.attempts[0].request_url).toBe(body.request.url);
    const { rows } = await api.database.pool.query(
      "select r::text as row from posthorn.delivery_requests r union all select a::text from posthorn.attempt_responses a",
    );
    expect(rows.map(({ row }) => row).join()).not.toContain("canary");
  });

  test("one that needs a secret which is gone is a dead letter that says so, and no sample of latency", async () => {
    const to = await postback("?c={click_id}&token={secret.token}");
    await send(to, { click_id: "q" });
    expect(await ended(to)).toMatchObject([{ state: "dead_letter", reason: "secret_missing" }]);
    expect(receiver.requests(path)).toEqual([]);
  });

  test("signed, it ends in the signature of the very URL before it", async () => {
    const { createHmac } = await import("node:crypto");
    const to = await postback("?c={click_id}&k={secret.k}", {
      postback: { sign: true, secrets: { k: "s" } },
    });
    await send(to, { click_id: "q" });
    const [made] = await ended(to);
    const [request] = receiver.requests(path);
    const [, before = "", sig] = /^(.*)&sig=([0-9a-f]{64})$/.exec(request?.path ?? "") ?? [];
    const key = Buffer.from(to.secret.replace("whsec_", ""), "base64");
    expect(sig).toBe(createHmac("sha256", key).update(receiver.url(before)).digest("hex"));
    expect((await shown(made.id)).attempts[0].request_url).toBe(
      receiver.url(`${path}?c=q&k={secret.k}&sig=${sig}`),
    );
  });
});

test("a signature that would make the URL longer than may be is no request", async () => {
  const base = receiver.url(path).length + "?s=".length;
  const to = await postback("?s={sub1}", { postback: { sign: true } });
  await send(to, { sub1: "a".repeat(8_192 - base) });
  await send(to, { sub1: "a".repeat(8_192 - base - "&sig=".length - 64) });
  const states = (await ended(to, 2)).map(({ state, reason }) => [state, reason]);
  expect(states).toEqual([
    ["dead_letter", "url_too_long"],
    ["delivered", null],
  ]);
  expect(receiver.requests(path)).toHaveLength(1);
});

describe("a POST postback", () => {
  test.each([
    ["application/json", '{"c":"{click_id}","p":{payout}}', '{"c":"a\\"b","p":12.50}'],
    ["application/x-www-form-urlencoded", "c={click_id}&p={payout}", "c=a%22b&p=12.50"],
  ] as const)("%s: the body is rendered and received byte for byte", async (contentType, body, sent) => {
    const to = await postback("", { postback: { method: "POST", contentType, body } });
    await send(to, '{"click_id":"a\\"b","payout":"12.50"}');
    const [made] = await ended(to);
    const [request] = receiver.requests(path);
    expect(request?.method).toBe("POST");
    expect(request?.body.toString()).toBe(sent);
    expect(header(request, "content-type")).toBe(contentType);
    expect((await shown(made.id)).request).toMatchObject({ content_type: contentType, body: sent });
  });
});

describe("what is not sent says why", () => {
  test("a conversion without a click id is a skipped row, found by the event's id", async () => {
    const to = await postback("?c={click_id}");
    const id = await send(to, { payout: "1" });
    const [made] = await ended(to);
    expect(made).toMatchObject({ state: "skipped", reason: "missing_click_id" });
    const { body } = await api.call(event.GET, { params: { id } });
    expect(body.recipients).toMatchObject([
      {
        endpoint: { id: to.id },
        decision: "delivery",
        delivery: { state: "skipped", reason: "missing_click_id" },
      },
    ]);
    expect(receiver.requests(path)).toEqual([]);
    expect((await shown(made.id)).resend_refusal).toContain("rendered again");
  });

  test.each([
    ["/{sub1}/done", { sub1: ".." }, "unsafe_path_value"],
    ["?s={status:map(approved=1)}", { status: "declined" }, "unmapped_value"],
    ["?s={sub1}", { sub1: "a".repeat(9_000) }, "url_too_long"],
  ])("%s can never be rendered: a dead letter without an attempt", async (query, data, reason) => {
    const to = await postback(query);
    await send(to, data);
    const [made] = await ended(to);
    expect(made).toMatchObject({ state: "dead_letter", reason });
    expect(await shown(made.id)).toMatchObject({ attempts: [], request: null, attempt_number: 0 });
  });

  test("an event that a filter keeps out leaves no row, and the event names the filter", async () => {
    const filters: Filter[] = [
      { field: "country", is: "one_of", values: ["DE", "AT"] },
      { field: "payout", is: "at_least", value: "10" },
    ];
    const to = await postback("?c={click_id}", { filters });
    const kept = await send(to, { click_id: "1", country: "DE", payout: "10.00" });
    const out = await send(to, { click_id: "2", country: "AT", payout: "9.99" });
    await ended(to);
    const why = async (id: string) => (await api.call(event.GET, { params: { id } })).body.recipients;
    expect(await why(kept)).toMatchObject([{ decision: "delivery", filter: null }]);
    expect(await why(out)).toMatchObject([{ decision: "filtered_out", filter: filters[1], delivery: null }]);
  });

  test("a webhook's filter is asked in the same way", async () => {
    const to = await createEndpoint(api.database.pool, {
      url: receiver.url(path),
      filters: [{ field: "country", is: "equal", value: "DE" }],
    });
    await send(to, { country: "SE" });
    const kept = await send(to, { country: "DE" });
    await ended(to);
    expect(receiver.requests(path).map((request) => header(request, "webhook-id"))).toEqual([kept]);
  });
});

describe("order", () => {
  test("a postback's key is the conversion where nobody gave one", async () => {
    receiver.script(path, { status: 500 });
    const to = await postback("?c={conversion_id}&s={sub1}", { ordering: "per_key" });
    for (const [conversion, step] of [
      ["a", "1"],
      ["a", "2"],
      ["b", "1"],
    ]) {
      await send(to, { conversion_id: conversion, sub1: step });
    }
    await eventually(async () => receiver.requests(path).length === 2 || null);
    const rows = await deliveriesOf(to);
    expect(rows.map((row) => row.ordering_key)).toEqual(["a", "a", "b"]);
    expect(receiver.requests(path).map((request) => request.path)).toEqual([
      `${path}?c=a&s=1`,
      `${path}?c=b&s=1`,
    ]);
  });
});

describe("putting back", () => {
  const again = (id: string, body: object) => api.call(resend.POST, { params: { id }, body });

  test("the same URL goes again, whatever the template is now; rendered again it is the new one", async () => {
    const to = await postback("?v=1&c={click_id}", { ordering: "none" });
    await send(to, { click_id: "q" });
    const [made] = await ended(to);
    await api.database.pool.query("update posthorn.endpoints set url = $2 where id = $1", [
      to.id,
      receiver.url(`${path}?v=2&c={click_id}`),
    ]);
    expect((await again(made.id, {})).status).toBe(200);
    await receiver.waitFor(path, 2);
    await ended(to);
    expect((await again(made.id, { render_again: true })).status).toBe(200);
    const requests = await receiver.waitFor(path, 3);
    expect(requests.map((request) => request.path)).toEqual([
      `${path}?v=1&c=q`,
      `${path}?v=1&c=q`,
      `${path}?v=2&c=q`,
    ]);
  });

  test("a skipped one goes only when it is rendered again, and only if it then can be", async () => {
    const to = await postback("?c={click_id}");
    await send(to, { payout: "1" });
    const [made] = await ended(to);
    expect(await again(made.id, {})).toMatchObject({ status: 409, body: { code: "skipped" } });
    expect(await again(made.id, { render_again: true })).toMatchObject({
      status: 409,
      body: { code: "cannot_render" },
    });
    await api.database.pool.query("update posthorn.endpoints set url = $2 where id = $1", [
      to.id,
      receiver.url(`${path}?c={click_id|none}`),
    ]);
    expect((await again(made.id, { render_again: true })).status).toBe(200);
    expect((await receiver.waitFor(path, 1))[0]?.path).toBe(`${path}?c=none`);
  });

  test("one whose data its type refuses stays skipped, also when it is to be rendered again", async () => {
    const to = await postback("?p={payout}");
    await api.database.pool.query(
      "select posthorn.publish(type => 'conversion.approved', affiliate => $1, data => '{\"payout\":\"none\"}')",
      [to.affiliateKey],
    );
    const [made] = await ended(to);
    expect(made).toMatchObject({ state: "skipped", reason: "invalid_data" });
    expect(await again(made.id, { render_again: true })).toMatchObject({
      status: 409,
      body: { code: "cannot_render" },
    });
  });

  test("rendering all that waits and one of it at once does not deadlock", async () => {
    const to = await postback("?c={conversion_id}", { ordering: "per_key" });
    await api.database.pool.query(
      "update posthorn.endpoint_health set ready_at = 'infinity' where endpoint_id = $1",
      [to.id],
    );
    await send(to, { conversion_id: "c" });
    const [made] = await eventually(async () =>
      (await deliveriesOf(to)).length === 1 ? deliveriesOf(to) : null,
    );
    await api.database.pool.query("update posthorn.deliveries set state = 'failed' where id = $1", [made.id]);
    const { pool } = api.database;
    const step = (first: (client: pg.PoolClient) => Promise<unknown>, more: () => Promise<unknown>) =>
      inClientTransaction(pool, async (client) => {
        await first(client);
        await more();
        return client.query("select 1");
      });
    const one = step(
      (client) => renderOne(client, made.id),
      () => sleep(300),
    );
    await sleep(100);
    await Promise.all([
      one,
      step(
        (client) => renderWaitingOf(client, { endpointId: to.id, after: "0" }),
        () => sleep(1),
      ),
      again(made.id, { render_again: true }),
    ]);
  });

  test("a webhook is never rendered", async () => {
    const to = await createEndpoint(api.database.pool, { url: receiver.url(path) });
    await send(to, {});
    const [made] = await ended(to);
    expect(await again(made.id, { render_again: true })).toMatchObject({
      status: 422,
      body: { errors: [{ field: "render_again" }] },
    });
  });
});

describe("an edited template", () => {
  const renderAll = async (id: string) => {
    const answers = [];
    for (let after = "0"; ; ) {
      const { status, body } = await api.call(renderWaiting.POST, { params: { id }, body: { after } });
      expect(status).toBe(200);
      answers.push(body);
      if (body.next === null) return answers;
      after = body.next;
    }
  };

  test("what waits keeps its URL until it is rendered again, all of it, blocked or not", async () => {
    const to = await postback("?v=1&c={click_id}&n={sub1}", { ordering: "per_key" });
    await api.database.pool.query(
      "update posthorn.endpoint_health set ready_at = 'infinity' where endpoint_id = $1",
      [to.id],
    );
    for (let n = 0; n < 120; n++) {
      await send(to, {
        ...(n === 50 ? {} : { click_id: "q" }),
        conversion_id: n % 2 ? "odd" : `${n}`,
        sub1: `${n}`,
      });
    }
    await eventually(async () => (await deliveriesOf(to)).length === 120 || null);
    await api.database.pool.query("update posthorn.endpoints set url = $2 where id = $1", [
      to.id,
      receiver.url(`${path}?v=2&n={sub1}`),
    ]);
    expect(await renderAll(to.id)).toMatchObject([
      { rendered: 100, kept: 0 },
      { rendered: 19, kept: 0 },
      { rendered: 0, kept: 0, next: null },
    ]);
    await api.database.pool.query(
      "update posthorn.endpoint_health set ready_at = now() where endpoint_id = $1",
      [to.id],
    );
    const requests = await receiver.waitFor(path, 119, 30_000);
    expect(requests.filter((request) => !request.path.startsWith(`${path}?v=2&n=`))).toEqual([]);
  });

  test("what it can do nothing with keeps the request it has", async () => {
    const to = await postback("?v=1&s={status}");
    await api.database.pool.query(
      "update posthorn.endpoint_health set ready_at = 'infinity' where endpoint_id = $1",
      [to.id],
    );
    await send(to, { status: "declined" });
    await eventually(async () => (await deliveriesOf(to)).length === 1 || null);
    await api.database.pool.query("update posthorn.endpoints set url = $2 where id = $1", [
      to.id,
      receiver.url(`${path}?v=2&s={status:map(approved=1)}`),
    ]);
    expect(await renderAll(to.id)).toMatchObject([{ rendered: 0, kept: 1 }, { next: null }]);
    const [made] = await deliveriesOf(to);
    expect((await shown(made.id)).request.url).toBe(receiver.url(`${path}?v=1&s=declined`));
  });

  test("a webhook is refused, and so is what is no delivery's id", async () => {
    const to = await createEndpoint(api.database.pool, { url: receiver.url(path) });
    const call = (body: object) => api.call(renderWaiting.POST, { params: { id: to.id }, body });
    expect(await call({})).toMatchObject({ status: 422, body: { errors: [{ field: "kind" }] } });
    expect(await call({ after: "x" })).toMatchObject({ status: 422, body: { errors: [{ field: "after" }] } });
  });
});
