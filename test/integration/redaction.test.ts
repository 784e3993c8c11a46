import { createHash } from "node:crypto";
import { glob } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { diagnoseDeadLetters } from "#lib/queue/diagnosis.ts";
import { decodedViews } from "#lib/redaction/decoded-views.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { addDeadLetters } from "#test/helpers/dead-letters.ts";
import { type ReceivedRequest, startReceiver } from "#test/helpers/receiver.ts";
import { passTime } from "#test/helpers/time.ts";
import { createUserSession } from "#test/helpers/users.ts";
import { eventually, spawnWorker } from "#test/helpers/workers.ts";
import { POST as revealDelivery } from "../../app/api/console/deliveries/[id]/reveal/route.ts";
import * as consoleDelivery from "../../app/api/console/deliveries/[id]/route.ts";
import { POST as testEndpoint } from "../../app/api/console/endpoints/[id]/test/route.ts";
import { POST as revealEvent } from "../../app/api/console/events/[id]/reveal/route.ts";
import * as consoleEvent from "../../app/api/console/events/[id]/route.ts";
import { POST as find } from "../../app/api/console/find/route.ts";
import * as affiliates from "../../app/api/v1/affiliates/route.ts";
import { POST as resend } from "../../app/api/v1/deliveries/[id]/resend/route.ts";
import * as delivery from "../../app/api/v1/deliveries/[id]/route.ts";
import * as deliveries from "../../app/api/v1/deliveries/route.ts";
import { POST as search } from "../../app/api/v1/deliveries/search/route.ts";
import * as endpoints from "../../app/api/v1/endpoints/route.ts";
import * as event from "../../app/api/v1/events/[id]/route.ts";
import * as events from "../../app/api/v1/events/route.ts";
import { POST as cancelRequeue } from "../../app/api/v1/requeues/[id]/cancel/route.ts";
import * as requeues from "../../app/api/v1/requeues/route.ts";
import { POST as preview } from "../../app/api/v1/templates/preview/route.ts";

/** Everything that the route handlers log is heard; pino notices that standard output was replaced. */
process.env.POSTHORN_LOG_LEVEL = "trace";

const receiver = await startReceiver();
const api = setUpApi();
afterAll(() => receiver.close());

/** Values of sensitive fields, with what URLs, forms and JSON each write otherwise. */
const canaries = {
  click_id: 'canary-Click/é "1"+2',
  conversion_id: "canary conversion & 77",
  transaction_id: "canary\\transaction\n3",
  payout: "98765.43",
};
const values = Object.values(canaries);
const secrets = { header: "canary-header-value", macro: "canary-macro-secret" };
const answered = "canary-answer";

/** Which of these texts stand in the text, as they are or encoded. */
const found = (text: string, sought: readonly string[]) =>
  sought.filter((value) =>
    [...decodedViews(text, { left: Number.POSITIVE_INFINITY })].some((view) => view.text.includes(value)),
  );

/** Their server's answer, which repeats everything that it was sent. */
const echo = (status: number) => (request: ReceivedRequest) => ({
  status,
  headers: { location: `https://elsewhere.example${request.path}`, "x-echo": request.path },
  body: `${answered} ${request.path} ${request.body.toString()}`,
});

/** A webhook, a GET and a POST postback with everything that is secret, and whose they are. */
async function setUpEndpoints(affiliate: string): Promise<{ signing: string[]; ids: string[] }> {
  await api.call(affiliates.POST, { body: { key: affiliate, name: affiliate } });
  const macros = "c={click_id}&v={conversion_id}&t={transaction_id}&p={payout}&s={status}";
  const url = (name: string) => receiver.url(`/${affiliate}/${name}`);
  const common = { affiliate, event_types: ["conversion.approved"] };
  const macro_secrets = [{ name: "token", value: secrets.macro }];
  const bodies = [
    { name: "hook", url: url("hook"), headers: [{ name: "x-token", value: secrets.header }] },
    {
      name: "get",
      kind: "postback",
      url: `${url("get")}/{click_id}?${macros}&k={secret.token}`,
      postback: { method: "GET" },
      macro_secrets,
    },
    {
      name: "post",
      kind: "postback",
      url: url("post"),
      postback: {
        method: "POST",
        content_type: "application/json",
        body: '{"c":"{click_id}","p":{payout},"s":"{status}","k":"{secret.token}"}',
      },
      macro_secrets,
    },
  ];
  const made = [];
  for (const body of bodies) {
    const answer = await api.call(endpoints.POST, {
      body: { ...common, retry: { max_attempts: 2, base_seconds: 3_600, cap_seconds: 3_600 }, ...body },
    });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    made.push(answer.body);
  }
  return { signing: made.map(({ secret }) => secret).filter(Boolean), ids: made.map(({ id }) => id) };
}

const dataOf = (fields: object = {}) => ({
  ...canaries,
  status: "approved",
  note: `of ${canaries.click_id}`,
  ...fields,
});

type Row = { id: string; state: string; endpoint: { id: string; name: string } };
const deliveriesOf = async (eventId: string): Promise<Row[]> =>
  (await api.call(deliveries.GET, { query: { event: eventId } })).body.data;

/** Waits until all three deliveries of the event stand where nothing moves them but time. */
const settled = (eventId: string, states: Record<string, string>) =>
  eventually(async () => {
    const rows = await deliveriesOf(eventId);
    return rows.length === 3 && rows.every(({ state, endpoint }) => states[endpoint.name] === state) && rows;
  });

/** From dead letters of the endpoints, beside the deliveries that the tests look at. */
async function makeAlerts(): Promise<string[]> {
  const { pool } = api.database;
  const { rows: owners } = await pool.query("select id, affiliate_id from posthorn.endpoints");
  for (const { id, affiliate_id } of owners) {
    await addDeadLetters(pool, {
      endpointId: id,
      affiliateId: affiliate_id,
      count: 5,
      reason: "unauthorized",
    });
  }
  await diagnoseDeadLetters(pool);
  return (await pool.query("select id from posthorn.alerts")).rows.map(({ id }) => id);
}

describe("at the console", () => {
  let eventId = "";
  let rows: Row[] = [];
  let endpointIds: string[] = [];
  let requeueId = "";

  beforeAll(async () => {
    endpointIds = (await setUpEndpoints("seen")).ids;
    receiver.script("/seen/hook", echo(200));
    receiver.script("/seen/post", echo(302));
    receiver.script(`/seen/get/${encodeURIComponent(canaries.click_id)}`, echo(400));
    const body = {
      type: "conversion.approved",
      affiliate: "seen",
      ordering_key: canaries.conversion_id,
      data: dataOf(),
    };
    const worker = await spawnWorker(api.database.url);
    eventId = (await api.call(events.POST, { body })).body.id;
    rows = await settled(eventId, { hook: "delivered", post: "dead_letter", get: "dead_letter" });
    await worker.end("SIGTERM");
    const requeue = { filter: { ids: rows.map(({ id }) => id) }, reason: "for a look" };
    requeueId = (await api.call(requeues.POST, { body: requeue })).body.id;
    // Nothing of it is to be sent by the workers of other tests.
    await api.call(cancelRequeue, { method: "POST", params: { id: requeueId } });
  });

  const at = (name: string) => rows.find(({ endpoint }) => endpoint.name === name)?.id ?? "";

  test("no route answers with a sensitive value, as it is or encoded", async () => {
    const ids: Record<string, string[]> = {
      affiliates: ["seen"],
      events: [eventId],
      deliveries: rows.map(({ id }) => id),
      endpoints: endpointIds,
      "event-types": ["conversion.approved"],
      requeues: [requeueId],
      alerts: await makeAlerts(),
      users: [(await createUserSession(api.database.pool, { role: "ops" })).id],
    };
    let routes = 0;
    for await (const file of glob("app/api/console/**/route.ts")) {
      const { GET } = await import(path.resolve(file));
      // It leads to the identity provider, and there is none.
      if (!GET || file.endsWith("sign-in/oidc/route.ts")) continue;
      routes += 1;
      const [, , , kind = "", parameter] = file.split(path.sep);
      // Not for the staff, and without a value of any event.
      if (kind === "notices") continue;
      const isOne = parameter?.startsWith("[");
      const all = isOne ? ids[kind] : [""];
      if (!all) throw new Error(`this test has no id for ${file}`);
      for (const id of all) {
        const params = isOne ? { [parameter?.slice(1, -1) ?? ""]: id } : {};
        const answer = await api.call(GET, { params, headers: { authorization: null } });
        expect([file, answer.status]).toEqual([file, 200]);
        expect([file, found(JSON.stringify(answer.body), values)]).toEqual([file, []]);
      }
    }
    expect(routes).toBeGreaterThan(8);
  });

  test("what is not sensitive stays, and the end of a value tells it apart", async () => {
    const { body: shown } = await api.call(consoleEvent.GET, { params: { id: eventId } });
    expect(shown.masked).toBe(true);
    expect(JSON.parse(shown.data_text)).toEqual({
      click_id: "••••",
      conversion_id: "••••77",
      transaction_id: "••••",
      payout: "••••43",
      status: "approved",
      note: "of ••••",
    });
    const { body: get } = await api.call(consoleDelivery.GET, { params: { id: at("get") } });
    expect(get.request.url).toBe(
      receiver.url("/seen/get/••••?c=••••&v=••••77&t=••••&p=••••43&s=approved&k={secret.token}"),
    );
    expect(get.attempts[0]).toMatchObject({
      request_url: get.request.url,
      response_body: expect.stringContaining(answered),
    });
    const { body: post } = await api.call(consoleDelivery.GET, { params: { id: at("post") } });
    expect(post.request.body).toBe('{"c":"••••","p":••••43,"s":"approved","k":"{secret.token}"}');
  });

  test("a test with the event shows none of its values either", async () => {
    for (const id of endpointIds) {
      for (const live of [false, true]) {
        const { status, body } = await api.call(testEndpoint, {
          params: { id },
          body: { live, event_id: eventId },
        });
        expect([status, found(JSON.stringify(body), values)]).toEqual([200, []]);
        expect(JSON.stringify(body)).toContain("••••");
      }
    }
  });

  test("revealing needs a reason, is recorded without a value, and shows what the key shows", async () => {
    const shown = [
      { kind: "event", reveal: revealEvent, open: event.GET, id: eventId },
      { kind: "delivery", reveal: revealDelivery, open: delivery.GET, id: at("get") },
    ];
    for (const { kind, reveal, open, id } of shown) {
      for (const body of [{}, { reason: " a " }, { reason: "x".repeat(201) }, { reason: 1 }]) {
        const refused = await api.call(reveal, { params: { id }, body });
        expect(refused).toMatchObject({ status: 422, body: { errors: [{ field: "reason" }] } });
      }
      const { body: whole } = await api.call(open, { params: { id } });
      expect(whole.masked).toBe(false);
      expect(found(JSON.stringify(whole), values)).toEqual(values);
      const revealed = await api.call(reveal, { params: { id }, body: { reason: "their ticket 4711" } });
      expect(revealed).toMatchObject({ status: 200, body: whole });
      const { rows: audit } = await api.database.pool.query(
        "select actor_kind, object_id, before, after from posthorn.audit_log where action = $1",
        [`${kind}.reveal`],
      );
      expect(audit).toEqual([
        { actor_kind: "user", object_id: id, before: null, after: { reason: "their ticket 4711" } },
      ]);
    }
    const missing = await api.call(revealDelivery, { params: { id: "999999" }, body: { reason: "why not" } });
    expect(missing.status).toBe(404);
  });

  test("once the data are gone, everything that could hold them is masked", async () => {
    const { pool } = api.database;
    const { rows: kept } = await pool.query(
      "delete from posthorn.event_bodies where event_id = $1 returning *",
      [eventId],
    );
    const { body: shown } = await api.call(consoleDelivery.GET, { params: { id: at("get") } });
    expect(found(JSON.stringify(shown), [...values, answered])).toEqual([]);
    expect(shown).toMatchObject({ masked: true, request: { url: receiver.url("/••••") } });
    expect(shown.attempts[0]).toMatchObject({
      request_url: receiver.url("/••••"),
      response_body: "••••",
      status: 400,
    });
    await pool.query(
      "insert into posthorn.event_bodies select * from json_populate_recordset(null::posthorn.event_bodies, $1)",
      [JSON.stringify(kept.map((row) => ({ ...row, data: `\\x${row.data.toString("hex")}` })))],
    );
  });
});

test("what functions of a template make of the values is masked, and can be revealed", async () => {
  await api.call(affiliates.POST, { body: { key: "made", name: "made" } });
  const functions =
    "c={click_id:lower}&t={transaction_id:upper}&h={click_id:sha256}&m={conversion_id:upper:md5}";
  const hash = (name: string, text: string) => createHash(name).update(text).digest("hex");
  const made = [
    canaries.click_id.toLowerCase(),
    canaries.transaction_id.toUpperCase(),
    hash("sha256", canaries.click_id),
    hash("md5", canaries.conversion_id.toUpperCase()),
  ];
  const { body: endpoint } = await api.call(endpoints.POST, {
    body: {
      affiliate: "made",
      event_types: ["conversion.approved"],
      name: "functions",
      kind: "postback",
      url: `${receiver.url("/made/functions")}?${functions}`,
      postback: { method: "GET" },
    },
  });
  receiver.script("/made/functions", echo(200), echo(200));
  const worker = await spawnWorker(api.database.url);
  const { body: published } = await api.call(events.POST, {
    body: { type: "conversion.approved", affiliate: "made", data: dataOf() },
  });
  const row = await eventually(async () =>
    (await deliveriesOf(published.id)).find(({ state }) => state === "delivered"),
  );
  await worker.end("SIGTERM");

  const params = { id: row.id };
  const { body: shown } = await api.call(consoleDelivery.GET, { params });
  const url = receiver.url("/made/functions?c=••••&t=••••&h=••••&m=••••");
  expect(shown).toMatchObject({ masked: true, request: { url }, attempts: [{ request_url: url }] });
  expect(shown.attempts[0].response_body).toContain("/made/functions?c=••••&t=••••&h=••••&m=••••");
  expect(found(JSON.stringify(shown), made)).toEqual([]);
  const { body: tested } = await api.call(testEndpoint, {
    params: { id: endpoint.id },
    body: { live: true, event_id: published.id },
  });
  expect([tested.request.url, found(JSON.stringify(tested), made)]).toEqual([url, []]);
  const { body: revealed } = await api.call(revealDelivery, { params, body: { reason: "a look" } });
  expect(revealed.masked).toBe(false);
  expect(found(JSON.stringify(revealed), made)).toEqual(made);
});

test("case 39: a canary is in nothing that a whole run writes but the data themselves", async () => {
  const written: string[] = [];
  const hear = (chunk: unknown) => {
    written.push(String(chunk));
    return true;
  };
  vi.spyOn(process.stdout, "write").mockImplementation(hear);
  vi.spyOn(process.stderr, "write").mockImplementation(hear);
  const problems: string[] = [];
  const refused = async (...[handler, call]: Parameters<typeof api.call>) => {
    const answer = await api.call(handler, call);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    problems.push(JSON.stringify(answer.body));
    return answer.status;
  };
  const { pool } = api.database;
  try {
    const { signing, ids } = await setUpEndpoints("run");
    receiver.script("/run/hook", echo(503), echo(200));
    receiver.script("/run/post", echo(400));
    receiver.script(`/run/get/${encodeURIComponent(canaries.click_id)}`, { reset: true }, echo(500));
    const body = {
      type: "conversion.approved",
      affiliate: "run",
      ordering_key: canaries.conversion_id,
      data: dataOf(),
    };

    // Bad input that holds the values, and faults of the database that would repeat them.
    for (const wrong of [
      { ...body, id: canaries.click_id },
      { ...body, type: canaries.click_id },
      { ...body, affiliate: canaries.conversion_id },
      { ...body, occurred_at: canaries.payout },
      { ...body, data: dataOf({ payout: canaries.click_id }) },
      { ...body, data: [canaries.click_id] },
      `{"data":{"click_id":"${canaries.payout}"`,
    ]) {
      await refused(events.POST, { body: wrong });
    }
    await refused(search, { body: { value: canaries.payout, cursor: canaries.click_id } });
    await refused(deliveries.GET, { query: { q_hash: canaries.click_id, event: canaries.conversion_id } });
    await refused(find, { body: { q: canaries.click_id, also: canaries.payout } });
    await refused(endpoints.POST, {
      body: {
        affiliate: "run",
        name: "bad",
        url: `${receiver.url("/x")}?t={${secrets.macro}}`,
        kind: "postback",
        event_types: ["ftd"],
        macro_secrets: [{ name: "t", value: secrets.macro }],
        headers: [{ name: "x", value: `${secrets.header}\n` }],
      },
    });
    for (const [template, data] of [
      ["https://x.example/?c={click_idd}", dataOf()],
      ["https://x.example/?c={click_id}", [canaries.click_id]],
      ["https://x.example/{click_id}#x", dataOf({ click_id: "canary/.." })],
    ]) {
      await refused(preview, { body: { template, event: { type: "conversion.approved", data } } });
    }
    await pool.query("alter table posthorn.search_keys rename to search_keys_away");
    expect(await refused(search, { body: { value: canaries.click_id } })).toBe(500);
    expect(await refused(find, { body: { q: canaries.conversion_id } })).toBe(500);
    await pool.query("alter table posthorn.search_keys_away rename to search_keys");
    await pool.query("alter table posthorn.event_keys add constraint refuse check (id <> 'refused-event')");
    expect(await refused(events.POST, { body: { ...body, id: "refused-event" } })).toBe(500);
    await pool.query(
      "alter table posthorn.delivery_requests add constraint refuse check (url not like '%canary%') not valid",
    );

    // Publish, fail to fan out, fan out, deliver, fail, retry, resend, search.
    const worker = await spawnWorker(api.database.url, { onOutput: hear });
    const eventId = (await api.call(events.POST, { body })).body.id;
    await eventually(async () =>
      written.some((line) => line.includes('"constraint":"refuse"') && line.includes('"worker"')),
    );
    await pool.query("alter table posthorn.delivery_requests drop constraint refuse");
    await settled(eventId, { hook: "failed", post: "dead_letter", get: "failed" });
    await passTime(pool, 3_600);
    const rows = await settled(eventId, { hook: "delivered", post: "dead_letter", get: "dead_letter" });
    const post = rows.find(({ endpoint }) => endpoint.name === "post")?.id ?? "";
    await api.call(resend, { method: "POST", params: { id: post } });
    await eventually(async () => receiver.requests("/run/post").length === 2);
    await settled(eventId, { hook: "delivered", post: "dead_letter", get: "dead_letter" });
    expect(
      (await api.call(search, { body: { value: canaries.click_id } })).body.data.length,
    ).toBeGreaterThanOrEqual(3);
    for (const id of ids) {
      const tested = await api.call(testEndpoint, {
        params: { id },
        body: { live: true, event_id: eventId },
      });
      expect(tested.status).toBe(200);
    }
    for (const { id } of rows) await api.call(revealDelivery, { params: { id }, body: { reason: "a look" } });
    await worker.end("SIGTERM");

    // All of it did travel, or its absence elsewhere would say nothing.
    const received = receiver
      .requests()
      .map(({ path: url, headers, body: bytes }) => `${url} ${headers.join(" ")} ${bytes}`);
    const all = [...values, ...Object.values(secrets)];
    expect(found(received.join("\n"), all)).toEqual(all);
    expect(written.join("")).toContain("request failed");

    // The word alone: the database cuts the values that it repeats.
    const hidden = ["canary", canaries.payout, ...signing];
    expect(found(written.join("\n"), hidden)).toEqual([]);
    expect(found(problems.join("\n"), hidden)).toEqual([]);
    const records = [
      "delivery_attempts",
      "audit_log",
      "breaker_transitions",
      "endpoint_health",
      "search_keys",
      "workers",
    ];
    for (const table of records) {
      const { rows: record } = await pool.query(
        `select row_to_json(t)::text as text from posthorn.${table} t`,
      );
      expect([table, found(record.map(({ text }) => text).join("\n"), hidden)]).toEqual([table, []]);
    }
    const { rows: ends } = await pool.query("select reason, last_status from posthorn.deliveries");
    expect(found(JSON.stringify(ends), hidden)).toEqual([]);
  } finally {
    vi.restoreAllMocks();
  }
});
