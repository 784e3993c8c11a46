import { beforeAll, describe, expect, test } from "vitest";
import { diagnoseDeadLetters } from "#lib/queue/diagnosis.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { addDeadLetters } from "#test/helpers/dead-letters.ts";
import { createAffiliate, createApiKey, createEndpoint, type TestEndpoint } from "#test/helpers/factories.ts";
import type { Handler } from "#test/helpers/handlers.ts";
import { GET as getAlert } from "../../app/api/v1/alerts/[id]/route.ts";
import { GET as listAlerts } from "../../app/api/v1/alerts/route.ts";
import { GET as findings } from "../../app/api/v1/dead-letters/findings/route.ts";
import { GET as groups } from "../../app/api/v1/dead-letters/groups/route.ts";
import { GET as list } from "../../app/api/v1/dead-letters/route.ts";
import { GET as csv } from "../../app/api/v1/dead-letters.csv/route.ts";
import { GET as healthSummary } from "../../app/api/v1/health-summary/route.ts";

const api = setUpApi();
let mine: TestEndpoint;
let second: TestEndpoint;
let theirs: TestEndpoint;
/** With a key that is limited to the first affiliate. */
let headers: Record<string, string>;

beforeAll(async () => {
  const { pool } = api.database;
  const affiliate = await createAffiliate(pool, "first");
  mine = await createEndpoint(pool, { url: "http://127.0.0.1:9/", affiliate });
  second = await createEndpoint(pool, { url: "http://127.0.0.1:9/", affiliate });
  theirs = await createEndpoint(pool, { url: "http://127.0.0.1:9/" });
  const add = (
    endpoint: TestEndpoint,
    given: Omit<Parameters<typeof addDeadLetters>[1], "endpointId" | "affiliateId">,
  ) => addDeadLetters(pool, { endpointId: endpoint.id, affiliateId: endpoint.affiliateId, ...given });
  await add(mine, { count: 7, reason: "unauthorized", status: 401 });
  await add(mine, { count: 4, reason: "timeout", agoHours: 48, eventType: "ftd" });
  await add(second, { count: 3, reason: "rejected_by_response", status: 200, agoHours: 1 });
  await add(theirs, { count: 6, reason: "forbidden", status: 403 });
  await pool.query("update posthorn.endpoints set name = '=cmd' where id = $1", [second.id]);
  await diagnoseDeadLetters(pool);
  const { key } = await createApiKey(pool, { purpose: "read", affiliateId: affiliate.id });
  headers = { authorization: `Bearer ${key}` };
});

const ask = (handler: Handler, query: Record<string, string> = {}, more = {}) =>
  api.call(handler as never, { query, ...more });
const count = async (query: Record<string, string>) => (await ask(list, query)).body.data.length;

describe("the list", () => {
  test("is given up latest first, and pages both ways without a gap or a repetition", async () => {
    const all = (await ask(list)).body.data;
    expect(all).toHaveLength(20);
    const times = all.map(({ ended_at }: { ended_at: string }) => ended_at);
    expect(times).toEqual([...times].sort().reverse());
    const ids = all.map(({ id }: { id: string }) => id);
    const seen: string[] = [];
    let page = (await ask(list, { limit: "3" })).body;
    for (;;) {
      seen.push(...page.data.map(({ id }: { id: string }) => id));
      if (page.next_cursor === null) break;
      page = (await ask(list, { limit: "3", cursor: page.next_cursor })).body;
    }
    expect(seen).toEqual(ids);
    const back = (await ask(list, { limit: "3", cursor: page.previous_cursor })).body;
    expect(back.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(15, 18));
  });

  test("is narrowed by every filter", async () => {
    expect(await count({ endpoint: mine.id })).toBe(11);
    expect(await count({ affiliate: "first" })).toBe(14);
    expect(await count({ affiliate: "nobody" })).toBe(0);
    expect(await count({ reason: "timeout" })).toBe(4);
    expect(await count({ reason: "timeout,forbidden" })).toBe(10);
    expect(await count({ status: "401" })).toBe(7);
    expect(await count({ status_class: "4xx" })).toBe(13);
    expect(await count({ status_class: "2xx" })).toBe(3);
    expect(await count({ status_class: "none" })).toBe(4);
    expect(await count({ event_type: "ftd" })).toBe(4);
    const dayAgo = new Date(Date.now() - 86_400_000).toISOString();
    expect(await count({ from: dayAgo })).toBe(16);
    expect(await count({ to: dayAgo })).toBe(4);
    expect(await count({ affiliate: "first", status_class: "4xx", from: dayAgo })).toBe(7);
  });

  test("finds one by its id or its event's", async () => {
    const [letter] = (await ask(list, { reason: "timeout" })).body.data;
    expect((await ask(list, { q: letter.id })).body.data).toEqual([letter]);
    expect((await ask(list, { q: letter.event_id })).body.data).toEqual([letter]);
    expect(await count({ q: letter.event_id, reason: "forbidden" })).toBe(0);
    expect(await count({ q: "no such thing" })).toBe(0);
  });

  test.each([
    ["reason", "tired"],
    ["reason", "timeout,"],
    ["status", "99"],
    ["status_class", "6xx"],
    ["endpoint", "1"],
    ["from", "yesterday"],
    ["to", "0000-01-01T00:00:00Z"],
    ["cursor", "bm9uc2Vuc2U"],
    ["cursor", Buffer.from('["n","2026-13-45T00:00:00.000000Z","1"]').toString("base64url")],
    ["limit", "101"],
  ])("refuses %s=%s, naming it", async (field, value) => {
    const answer = await ask(list, { [field]: value });
    expect(answer.status).toBe(422);
    expect(answer.body.errors[0].field).toMatch(new RegExp(`^${field}`));
  });
});

test("groups tell of endpoint and answer, the largest first, and of how many there are", async () => {
  const { body } = await ask(groups);
  expect(body).toMatchObject({ count: 20, groups: 4 });
  expect(
    body.data.map(({ reason, status, count }: Record<string, unknown>) => [reason, status, count]),
  ).toEqual([
    ["unauthorized", 401, 7],
    ["forbidden", 403, 6],
    ["timeout", null, 4],
    ["rejected_by_response", 200, 3],
  ]);
  expect(body.data[0]).toMatchObject({
    mean_attempts: 1,
    endpoint: { id: mine.id, status: "active" },
    affiliate: { key: "first" },
  });
  expect(Date.parse(body.data[0].last_at) - Date.parse(body.data[0].first_at)).toBe(6 * 60_000);
  expect((await ask(groups, { status: "404" })).body).toEqual({ data: [], count: 0, groups: 0 });
});

test("the CSV has every dead letter of the filters, in safe cells, and nothing of its event's data", async () => {
  const { body, headers: answered } = await ask(csv, { affiliate: "first" });
  expect(answered.get("content-disposition")).toContain("dead-letters.csv");
  const lines = body.trimEnd().split("\r\n");
  expect(lines[0]).toBe(
    "id,ended_at,reason,last_status,attempts,event_id,event_type,endpoint_id,endpoint_name,affiliate,created_at",
  );
  expect(lines).toHaveLength(15);
  expect(lines.filter((line: string) => line.includes(",'=cmd,"))).toHaveLength(3);
  expect((await ask(csv, { cursor: "x" })).status).toBe(422);
});

test("findings are what is open, and say when somebody last looked", async () => {
  const { body } = await ask(findings);
  expect(Date.now() - Date.parse(body.looked_at)).toBeLessThan(60_000);
  expect(
    body.data.map(({ kind, evidence }: { kind: string; evidence: { count: number } }) => [
      kind,
      evidence.count,
    ]),
  ).toEqual([
    ["credentials", 7],
    ["credentials", 6],
  ]);
  expect(body.data[0]).toMatchObject({
    state: "open",
    endpoint: { id: mine.id },
    event_id: null,
    ended_at: null,
  });
  expect((await ask(findings, { endpoint: theirs.id })).body.data).toHaveLength(1);
  expect((await ask(findings, { affiliate: "first" })).body.data).toHaveLength(1);
  expect(body.count).toBe(2);
});

test("of more findings than are shown it says how many there are", async () => {
  const { pool } = api.database;
  await pool.query(
    `insert into posthorn.alerts (key, kind, affiliate_id, endpoint_id, count, finding)
     select 'many ' || n, kind, affiliate_id, endpoint_id, 1, finding from posthorn.alerts, generate_series(1, 200) n
     where endpoint_id = $1`,
    [mine.id],
  );
  const { body } = await ask(findings);
  expect([body.data.length, body.count]).toEqual([200, 202]);
  expect(body.data[0].evidence.count).toBe(7);
  expect((await ask(findings, { endpoint: theirs.id })).body.count).toBe(1);
  await pool.query("delete from posthorn.alerts where key like 'many %'");
});

test("alerts list the open ones first, page by page, and each can be read", async () => {
  const { pool } = api.database;
  await pool.query(
    `insert into posthorn.alerts (key, kind, state, affiliate_id, endpoint_id, count, finding, ended_at)
     select 'old', 'outage', 'ended', affiliate_id, endpoint_id, 60, finding, now() from posthorn.alerts where endpoint_id = $1`,
    [mine.id],
  );
  const all = (await ask(listAlerts)).body.data;
  expect(all.map(({ state }: { state: string }) => state)).toEqual(["open", "open", "ended"]);
  const first = (await ask(listAlerts, { limit: "2" })).body;
  const next = (await ask(listAlerts, { limit: "2", cursor: first.next_cursor })).body;
  expect([...first.data, ...next.data]).toEqual(all);
  expect((await ask(listAlerts, { state: "ended" })).body.data).toEqual([all[2]]);
  expect((await ask(healthSummary)).body.open_alerts).toBe(2);
  expect((await ask(listAlerts, { kind: "credentials", endpoint: mine.id })).body.data).toHaveLength(1);
  const params = { id: all[0].id };
  expect((await ask(getAlert, {}, { params })).body).toEqual(all[0]);
  expect((await ask(getAlert, {}, { params: { id: "999999" } })).status).toBe(404);
});

describe("a key of one affiliate", () => {
  test.each([
    ["list", list, 14],
    ["groups", groups, 3],
    ["findings", findings, 1],
    ["alerts", listAlerts, 2],
  ] as [string, Handler, number][])("sees in the %s its own alone", async (_, handler, own) => {
    const { body } = await ask(handler, {}, { headers });
    expect(body.data).toHaveLength(own);
    expect(JSON.stringify(body)).not.toContain(theirs.affiliateId);
    for (const query of [{ affiliate: theirs.affiliateKey }, { endpoint: theirs.id }]) {
      expect((await ask(handler, query, { headers })).body.data).toEqual([]);
    }
  });

  test("sees neither counts nor lines nor alerts of others", async () => {
    expect((await ask(groups, {}, { headers })).body).toMatchObject({ count: 14, groups: 3 });
    expect((await ask(csv, {}, { headers })).body.trimEnd().split("\r\n")).toHaveLength(15);
    const [other] = (await ask(findings, { endpoint: theirs.id })).body.data;
    const answer = await ask(getAlert, {}, { params: { id: other.id }, headers });
    expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
    const [letter] = (await ask(list, { endpoint: theirs.id })).body.data;
    expect((await ask(list, { q: letter.event_id }, { headers })).body.data).toEqual([]);
  });
});
