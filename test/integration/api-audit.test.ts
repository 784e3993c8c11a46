import { drizzle } from "drizzle-orm/node-postgres";
import { beforeAll, describe, expect, test } from "vitest";
import * as schema from "#drizzle/schema/index.ts";
import { maxExportedEntries } from "#lib/audit/limits.ts";
import { selectAuditEntries } from "#lib/audit/queries.ts";
import type { AuditEntry, AuditFilters } from "#lib/audit/schema.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { createAffiliate } from "#test/helpers/factories.ts";
import { createTestDatabase } from "#test/helpers/postgres.ts";
import { POST as createKey } from "../../app/api/v1/api-keys/route.ts";
import { GET as list } from "../../app/api/v1/audit/route.ts";
import { GET as exportAudit } from "../../app/api/v1/audit.csv/route.ts";
import { POST as reveal } from "../../app/api/v1/endpoints/[id]/reveal-secret/route.ts";
import { POST as rotate } from "../../app/api/v1/endpoints/[id]/rotate-secret/route.ts";
import { PATCH as edit } from "../../app/api/v1/endpoints/[id]/route.ts";
import { POST as createEndpoint } from "../../app/api/v1/endpoints/route.ts";

const api = setUpApi();
let affiliate: { id: string; key: string };
let endpointId: string;
const secrets: string[] = [];

beforeAll(async () => {
  affiliate = await createAffiliate(api.database.pool);
  const made = await api.call(createEndpoint, {
    body: {
      affiliate: affiliate.key,
      kind: "postback",
      name: "=Tracker",
      url: "http://127.0.0.1:9/?token={secret.token}",
      headers: [{ name: "x-token", value: "header-secret-value" }],
      macro_secrets: [{ name: "token", value: "macro-secret-value" }],
      event_types: ["ftd"],
    },
  });
  expect(made.status).toBe(201);
  endpointId = made.body.id;
  const params = { id: endpointId };
  const body = { name: "Tracker", timeout_ms: 9_000 };
  expect(await api.call(edit, { method: "PATCH", params, body })).toMatchObject({ status: 200 });
  const rotated = await api.call(rotate, { params, body: { overlap_hours: 1 } });
  const revealed = await api.call(reveal, { params, body: { reason: "They lost it" } });
  const key = await api.call(createKey, { body: { name: "Reader", purpose: "read" } });
  secrets.push("header-secret-value", "macro-secret-value", made.body.secret, rotated.body.secret);
  secrets.push(revealed.body.secret, key.body.key);
});

async function entries(query: Record<string, string>): Promise<AuditEntry[]> {
  const answer = await api.call(list, { query });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body.data;
}

describe("the audit log", () => {
  test("says who did what to which object, before and after, latest first", async () => {
    const own = await entries({ object_kind: "endpoint", object_id: endpointId });
    expect(own.map(({ action }) => action)).toEqual([
      "endpoint.reveal_secret",
      "endpoint.rotate_secret",
      "endpoint.edit",
      "endpoint.create",
    ]);
    expect(own[2]).toEqual({
      id: expect.stringMatching(/^\d+$/),
      at: expect.any(String),
      actor: { kind: "api_key", id: expect.any(String), name: "First key" },
      from: { address: null, user_agent: null },
      action: "endpoint.edit",
      object: { kind: "endpoint", id: endpointId, name: "Tracker" },
      affiliate: { id: affiliate.id, key: affiliate.key, name: affiliate.key },
      before: { name: "=Tracker", timeout_ms: 15_000 },
      after: { name: "Tracker", timeout_ms: 9_000 },
    });
  });

  test("is found by each filter, and by all of them together", async () => {
    const all = await entries({});
    const [edited] = await entries({ action: "endpoint.edit" });
    const at = edited?.at ?? "";
    const actor = edited?.actor.id ?? "";
    const ids = (found: AuditEntry[]) => found.map(({ id }) => id);
    const where = (holds: (entry: AuditEntry) => boolean) => ids(all.filter(holds));
    expect(ids(await entries({ action: "endpoint.edit" }))).toHaveLength(1);
    expect(ids(await entries({ object_kind: "api_key" }))).toEqual(where((e) => e.object.kind === "api_key"));
    expect(ids(await entries({ object_id: endpointId }))).toEqual(where((e) => e.object.id === endpointId));
    expect(ids(await entries({ actor: "system" }))).toEqual(where((e) => e.actor.kind === "system"));
    expect(ids(await entries({ actor: "console" }))).toEqual([]);
    expect(ids(await entries({ actor }))).toEqual(where((e) => e.actor.id === actor));
    expect(ids(await entries({ affiliate: affiliate.key }))).toEqual(where((e) => e.affiliate !== null));
    expect(ids(await entries({ affiliate: "nobody" }))).toEqual([]);
    // The bound to the millisecond lies before the entry, whose time is kept to the microsecond.
    expect(ids(await entries({ from: at }))).toEqual(where((e) => e.at >= at));
    expect(ids(await entries({ to: at }))).toEqual(where((e) => e.at < at));
    const query = {
      action: "endpoint.edit",
      object_kind: "endpoint",
      object_id: endpointId,
      actor,
      from: at,
    };
    expect(ids(await entries({ ...query, affiliate: affiliate.key }))).toEqual([edited?.id]);
    expect(ids(await entries({ ...query, to: at }))).toEqual([]);
  });

  test("pages by its entries' ids, there and back", async () => {
    const all = await entries({});
    const first = await api.call(list, { query: { limit: "2" } });
    const second = await api.call(list, { query: { limit: "2", cursor: first.body.next_cursor } });
    expect([...first.body.data, ...second.body.data]).toEqual(all.slice(0, 4));
    const back = await api.call(list, { query: { limit: "2", cursor: second.body.previous_cursor } });
    expect(back.body.data).toEqual(first.body.data);
  });

  test.each([
    ["action", "endpoint.explode"],
    ["object_kind", "planet"],
    ["from", "yesterday"],
    ["from", "0000-01-01T00:00:00Z"],
    ["to", "2026-01-01T00:00:00"],
    ["affiliate", "no spaces"],
    ["object_id", ""],
    ["object_id", "\0"],
    ["cursor", "abc"],
    ["limit", "1000"],
    ["who", "me"],
  ])("a filter %s of %j is refused by name", async (name, value) => {
    const answer = await api.call(list, { query: { [name]: value } });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ field: name }] } });
  });
});

describe("the export", () => {
  test("is CSV by the same filters, with nothing that a spreadsheet would calculate", async () => {
    const answer = await api.call(exportAudit, { query: { object_id: endpointId, action: "endpoint.edit" } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toContain("text/csv");
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="audit.csv"');
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const [head, line, ...rest] = answer.body.split("\r\n");
    expect(head).toBe(
      "id,at,actor_kind,actor_id,actor_name,address,user_agent,action,object_kind,object_id,object_name,affiliate,before,after",
    );
    expect(line).toMatch(
      /^\d+,[^,]+Z,api_key,[^,]+,First key,,,endpoint\.edit,endpoint,[^,]+,Tracker,[^,]+,"\{""name"":""=Tracker"",/,
    );
    expect(rest).toEqual([""]);
    await api.database.pool.query("update posthorn.endpoints set name = '=1+1' where id = $1", [endpointId]);
    const again = await api.call(exportAudit, { query: { object_id: endpointId } });
    expect(again.body).toContain(",'=1+1,");
    await api.database.pool.query("update posthorn.endpoints set name = 'Tracker' where id = $1", [
      endpointId,
    ]);
  });

  test("of nothing has its head alone, and a wrong filter is a problem", async () => {
    expect((await api.call(exportAudit, { query: { actor: "console" } })).body).toMatch(/^id,at,[^\n]+\r\n$/);
    expect(await api.call(exportAudit, { query: { limit: "1" } })).toMatchObject({ status: 422 });
  });
});

test("no secret is in it, in any form", async () => {
  const texts = [
    JSON.stringify((await api.call(list)).body),
    (await api.call(exportAudit)).body as string,
    JSON.stringify((await api.database.pool.query("select * from posthorn.audit_log")).rows),
  ];
  expect(secrets).toHaveLength(6);
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(10);
    for (const text of texts) expect(text).not.toContain(secret);
  }
});

describe("among 100,000 entries", () => {
  test("an export stops at its bound", async () => {
    const { pool } = api.database;
    await pool.query(
      `insert into posthorn.audit_log (actor_kind, actor_name, action, object_kind, object_id)
       select 'console', 'Console', 'delivery.resend', 'delivery', n::text from generate_series(1, 10050) n`,
    );
    const { body } = await api.call(exportAudit, { query: { action: "delivery.resend" } });
    const lines = (body as string).trimEnd().split("\r\n");
    expect(lines).toHaveLength(maxExportedEntries + 1);
    expect(lines[1]).toContain(",delivery,10050,");
    expect(lines.at(-1)).toContain(",delivery,51,");
  });

  test("no filter scans the table", async () => {
    const { pool } = await createTestDatabase();
    const { id, key } = await createAffiliate(pool, "rare");
    await pool.query(
      `insert into posthorn.audit_log (at, actor_kind, actor_id, actor_name, action, object_kind, object_id, affiliate_id)
       select now() - n * interval '1 minute', case when n = 77777 then 'system' else 'console' end::posthorn.actor_kind,
         case when n = 77777 then 'rare' end, 'Somebody', case when n = 77777 then 'affiliate.edit' else 'delivery.resend' end,
         case when n = 77777 then 'affiliate' else 'delivery' end, n::text, case when n = 77777 then $1::uuid end
       from generate_series(100000, 1, -1) n`,
      [id],
    );
    await pool.query("analyze");
    const { rows } = await pool.query("select at from posthorn.audit_log where object_id = '77777'");
    const at = rows[0].at as Date;
    const asked: [string, unknown[]][] = [];
    const logger = { logQuery: (text: string, values: unknown[]) => void asked.push([text, values]) };
    const orm = drizzle({ client: pool, schema, logger });
    const filters: AuditFilters[] = [
      { action: "affiliate.edit" },
      { object_kind: "affiliate" },
      { object_id: "77777" },
      { object_kind: "affiliate", object_id: "77777" },
      { actor: "system" },
      { actor: "rare" },
      { affiliate: key },
      { from: at.toISOString(), to: new Date(at.getTime() + 30_000).toISOString() },
    ];
    for (const filter of filters) {
      asked.length = 0;
      const { data } = await selectAuditEntries(orm, { ...filter, limit: 50 });
      expect(
        data.map(({ object }) => object.id),
        JSON.stringify(filter),
      ).toEqual(["77777"]);
      const [text, values] = asked[0] as [string, unknown[]];
      const { rows: plan } = await pool.query(`explain (analyze, buffers, timing off) ${text}`, values);
      const lines = plan.map((row) => row["QUERY PLAN"] as string);
      expect(lines.join("\n")).not.toContain("Seq Scan on audit_log");
      const removed = lines.map((line) => Number(/Rows Removed by Filter: (\d+)/.exec(line)?.[1] ?? 0));
      expect(Math.max(...removed), lines.join("\n")).toBeLessThan(100);
    }
  });
});
