import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, setUpApi } from "#test/helpers/api.ts";
import { eventually } from "#test/helpers/workers.ts";
import * as consoleEndpoint from "../../app/api/console/endpoints/[id]/route.ts";
import * as consoleEndpoints from "../../app/api/console/endpoints/route.ts";
import * as affiliates from "../../app/api/v1/affiliates/route.ts";
import * as endpoint from "../../app/api/v1/endpoints/[id]/route.ts";
import { POST as tryOut } from "../../app/api/v1/endpoints/[id]/test/route.ts";
import * as endpoints from "../../app/api/v1/endpoints/route.ts";
import * as eventType from "../../app/api/v1/event-types/[name]/route.ts";
import * as eventTypes from "../../app/api/v1/event-types/route.ts";

const api = setUpApi();
const page = "https://trk.example/pb";
const sound = {
  affiliate: "acme",
  kind: "postback",
  name: "Tracker",
  url: `${page}?c={click_id}`,
  event_types: ["conversion.approved"],
};
const json = { method: "POST", content_type: "application/json" };
const form = { method: "POST", content_type: "application/x-www-form-urlencoded" };
const token = { name: "token", value: "canary-1" };
const withToken = { url: `${page}?c={click_id}&t={secret.token}`, macro_secrets: [token] };

beforeAll(async () => {
  await api.call(affiliates.POST, { body: { key: "acme", name: "Acme" } });
});

const create = (fields: Record<string, unknown> = {}) =>
  api.call(endpoints.POST, { body: { ...sound, ...fields } });
const edit = (id: string, body: unknown) =>
  api.call(endpoint.PATCH, { method: "PATCH", params: { id }, body });
async function make(fields: Record<string, unknown> = {}): Promise<Answer["body"]> {
  const made = await create(fields);
  expect(made).toMatchObject({ status: 201 });
  return made.body;
}

async function auditOf(id: string) {
  const { rows } = await api.database.pool.query(
    "select action, before, after from posthorn.audit_log where object_id = $1 order by id",
    [id],
  );
  return rows;
}

/** All that is stored about endpoints, as text; bytes are in hex. */
async function stored(): Promise<string> {
  const { rows } = await api.database.pool.query(
    `select e::text as row from posthorn.endpoints e union all select a::text from posthorn.audit_log a`,
  );
  return rows.map(({ row }) => row).join("\n");
}

describe("making one", () => {
  test("fills in what a postback is by default", async () => {
    const made = await make();
    expect(made).toMatchObject({
      kind: "postback",
      url: sound.url,
      postback: { method: "GET", content_type: null, body: null, sign: false },
      macro_secrets: [],
      filters: [],
      retry: { max_attempts: 14, base_seconds: 60, cap_seconds: 43_200 },
      ordering: "per_key",
      event_types: ["conversion.approved"],
    });
    expect((await api.call(endpoint.GET, { params: { id: made.id } })).body).toMatchObject({
      kind: "postback",
      postback: made.postback,
    });
  });

  test("keeps what is chosen, and shows it as it will be sent", async () => {
    const filters = [
      { field: "country", is: "one_of", values: ["DE", "AT"] },
      { field: "payout", is: "at_least", value: "10.50" },
      { field: "click_id", is: "present" },
    ];
    const chosen = {
      retry: { max_attempts: 2, base_seconds: 1, cap_seconds: 2 },
      ordering: "none",
      filters,
      postback: { ...json, body: '{"c":"{click_id}","p":{payout|0}}', sign: false },
    };
    const made = await make({ ...chosen, url: " HTTPS://TRK.example:443?x={sub1} " });
    expect(made).toMatchObject({ ...chosen, url: "https://trk.example/?x={sub1}" });
  });

  test("takes the longest body there may be", async () => {
    const body = "ü".repeat(65_536);
    expect((await make({ postback: { ...form, body } })).postback.body).toBe(body);
  });

  test("the console makes and edits them alike", async () => {
    const headers = { authorization: null };
    const made = await api.call(consoleEndpoints.POST, { body: sound, headers });
    expect(made).toMatchObject({ status: 201, body: { kind: "postback" } });
    const params = { id: made.body.id };
    const body = { url: `${page}?c={clickid}` };
    const edited = await api.call(consoleEndpoint.PATCH, { method: "PATCH", params, body, headers });
    expect(edited).toMatchObject({ status: 422, body: { code: "unknown_macro", suggestion: "{click_id}" } });
  });
});

describe("a template that cannot be saved is told with its code and what would be right", () => {
  const pending = { event_types: ["conversion.approved", "conversion.pending"] };
  const cases: [code: string, fields: Record<string, unknown>, field: string, suggestion: string | null][] = [
    ["unknown_macro", { url: `${page}?c={clickid}` }, "url", "{click_id}"],
    ["unknown_macro", { url: `${page}?c={Click_ID:lower|x}` }, "url", "{click_id:lower|x}"],
    ["unknown_macro", { url: `${page}?c={zzzzzzzz}` }, "url", null],
    ["unknown_macro", { url: `${page}?t={secret.token}` }, "url", null],
    ["unknown_macro", { ...withToken, url: `${page}?t={secret.tokn}` }, "url", "{secret.token}"],
    ["unknown_macro", { postback: { ...json, body: '{"c":"{clickid}"}' } }, "postback.body", "{click_id}"],
    ["template_syntax", { url: `${page}?c={click_id` }, "url", "%7B"],
    ["template_syntax", { url: `${page}?c={}` }, "url", null],
    ["template_syntax", { url: `${page}?c={click_id:reverse}` }, "url", null],
    ["template_syntax", { url: `${page}?c={click_id:date}` }, "url", null],
    ["template_syntax", { url: "ftp://trk.example/?c={click_id}" }, "url", "https://"],
    ["template_syntax", { postback: { ...json, body: '{"c":{click_id}}' } }, "postback.body", '"{click_id}"'],
    ["template_syntax", { postback: { ...json, body: "{click_id}" } }, "postback.body", '"{click_id}"'],
    ["foreign_syntax", { url: `${page}?c={{click_id}}` }, "url", `${page}?c={click_id}`],
    ["foreign_syntax", { url: `${page}?c=[CLICK_ID]` }, "url", `${page}?c={click_id}`],
    ["foreign_syntax", { postback: { ...form, body: "c=%clickid%" } }, "postback.body", "c={click_id}"],
    ["html_entity", { url: `${page}?c={click_id}&amp;p={payout}` }, "url", `${page}?c={click_id}&p={payout}`],
    ["macro_in_authority", { url: "https://{sub1}.example/" }, "url", null],
    ["userinfo", { url: "https://me:pass@trk.example/" }, "url", ""],
    ["fragment", { url: `${page}?c={click_id}#top` }, "url", "%23"],
    ["fragment", { url: `${page}?c=#clickid#` }, "url", `${page}?c={click_id}`],
    ["literal_rewritten", { url: `${page}/a b?c={click_id}` }, "url", "%20"],
    ["literal_rewritten", { url: `${page}/../x?c={click_id}` }, "url", "/x"],
    ["status_macro_required", { ...pending }, "url", "&status={status}"],
    [
      "status_macro_required",
      { ...pending, postback: { ...form, body: "a={sub1}" } },
      "postback.body",
      "&status={status}",
    ],
  ];

  test.each(cases)("%s: %j", async (code, fields, field, suggestion) => {
    const { id } = await make();
    const before = await stored();
    for (const answer of [await create(fields), await edit(id, fields)]) {
      expect(answer).toMatchObject({ status: 422, body: { code, detail: expect.any(String) } });
      expect(answer.body.suggestion ?? null).toBe(suggestion);
      const [first] = answer.body.errors;
      expect(first).toMatchObject({ field, code, message: answer.body.detail });
      expect(first.suggestion ?? null).toBe(suggestion);
    }
    expect(await stored()).toBe(before);
  });

  test("all faults are told, of the URL and of the body", async () => {
    const answer = await create({
      url: `${page}?a={clickid}&b={paiout}`,
      postback: { ...form, body: "x={sub}&y={curency}" },
    });
    expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual([
      "url",
      "url",
      "postback.body",
      "postback.body",
    ]);
  });
});

describe("what does not go together is refused with its field", () => {
  const webhook = { kind: "webhook", url: "https://example.com/hook" };
  test.each([
    [{ kind: "pixel" }, "kind"],
    [{ event_types: null }, "event_types"],
    [{ event_types: undefined }, "event_types"],
    [{ event_types: ["conversion.approved", "no.such"] }, "event_types.1"],
    [{ url: `${page}?${"a".repeat(8_200)}` }, "url"],
    [{ url: "https://10.0.0.5/?c={click_id}" }, "url"],
    [{ url: "https://169.254.169.254/{click_id}" }, "url"],
    [{ postback: { method: "PUT" } }, "postback.method"],
    [{ postback: { body: "{}", content_type: "application/json" } }, "postback.body"],
    [{ postback: { method: "POST", body: "{}" } }, "postback.content_type"],
    [{ postback: { method: "POST", content_type: "application/json" } }, "postback.content_type"],
    [{ postback: { ...json, content_type: "text/plain", body: "x" } }, "postback.content_type"],
    [{ postback: { ...json, body: "" } }, "postback.body"],
    [{ postback: { ...form, body: "a".repeat(65_537) } }, "postback.body"],
    [{ postback: { ...form, body: "a", sign: true } }, "postback.sign"],
    [{ postback: { method: "GET", timeout: 1 } }, "postback.timeout"],
    [{ postback: null }, "postback"],
    [{ macro_secrets: [token] }, "macro_secrets.0.name"],
    [{ ...withToken, macro_secrets: [token, { name: "spare", value: "v" }] }, "macro_secrets.1.name"],
    [{ ...withToken, macro_secrets: [token, token] }, "macro_secrets.1.name"],
    [{ ...withToken, macro_secrets: [{ name: "a b", value: "v" }] }, "macro_secrets.0.name"],
    [{ ...withToken, macro_secrets: [{ name: "token", value: "" }] }, "macro_secrets.0.value"],
    [{ ...withToken, macro_secrets: [{ name: "token", value: null }] }, "macro_secrets.0.value"],
    [{ ...withToken, macro_secrets: [{ name: "token", value: "a\0" }] }, "macro_secrets.0.value"],
    [{ ...withToken, macro_secrets: { token: "v" } }, "macro_secrets"],
    [{ ...webhook, postback: { method: "GET" } }, "postback"],
    [{ ...webhook, macro_secrets: [token] }, "macro_secrets"],
    [{ ...webhook, url: `https://example.com/${"a".repeat(2_048)}` }, "url"],
  ])("%j", async (fields, field) => {
    const answer = await create(fields);
    expect(answer).toMatchObject({
      status: 422,
      body: { errors: expect.arrayContaining([expect.objectContaining({ field })]) },
    });
    expect(JSON.stringify(answer.body)).not.toContain("canary");
  });

  test.each([
    ["postback", { event_types: null }, "event_types"],
    ["postback", { kind: "webhook" }, "kind"],
    ["postback", { postback: { method: "POST", sign: true } }, "postback.sign"],
    ["postback", { url: page }, "macro_secrets.0.name"],
    ["postback", { macro_secrets: [] }, "url"],
    ["postback", { macro_secrets: [{ name: "other", value: null }] }, "macro_secrets.0.value"],
    ["postback", { event_types: ["conversion.pending"] }, "url"],
    ["webhook", { postback: { method: "GET" } }, "postback"],
    ["webhook", { macro_secrets: [] }, "macro_secrets"],
    ["webhook", { url: `https://example.com/${"a".repeat(2_048)}` }, "url"],
  ])("edited: %s %j", async (kind, fields, field) => {
    const { id } = await make(kind === "postback" ? withToken : webhook);
    expect(await edit(id, fields)).toMatchObject({
      status: 422,
      body: { errors: expect.arrayContaining([expect.objectContaining({ field })]) },
    });
  });
});

describe("filters", () => {
  test.each([
    [{ field: "no_such", is: "present" }, "filters.0.field"],
    [{ field: "constructor", is: "present" }, "filters.0.field"],
    [{ field: "country", is: "at_least", value: "1" }, "filters.0.field"],
    [{ field: "payout", is: "equal", value: "ten" }, "filters.0.value"],
    [{ field: "payout", is: "one_of", values: ["1", "x"] }, "filters.0.values"],
    [{ field: "payout", is: "at_least", value: "1e3" }, "filters.0.value"],
    [{ field: "payout", is: "at_least", value: 10 }, "filters.0.value"],
    [{ field: "payout", is: "at_least" }, "filters.0.value"],
    [{ field: "country", is: "one_of", values: [] }, "filters.0.values"],
    [{ field: "country", is: "one_of", values: Array(201).fill("x") }, "filters.0.values"],
    [{ field: "country", is: "equal", value: "" }, "filters.0.value"],
    [{ field: "country", is: "equal", value: "a\0" }, "filters.0.value"],
    [{ field: "country", is: "present", value: "x" }, "filters.0.value"],
    [{ field: "country", is: "matches", value: "x" }, "filters.0.is"],
    ["country", "filters.0"],
  ])("%j", async (filter, field) => {
    for (const kind of [
      sound,
      { ...sound, kind: "webhook", url: "https://example.com/", event_types: null },
    ]) {
      expect(await api.call(endpoints.POST, { body: { ...kind, filters: [filter] } })).toMatchObject({
        status: 422,
        body: { errors: [expect.objectContaining({ field })] },
      });
    }
  });

  test("are checked again when the event types change", async () => {
    const webhook = { kind: "webhook", url: "https://example.com/", event_types: null };
    await api.call(eventTypes.POST, {
      body: { name: "spin", fields: [{ name: "reels", kind: "integer", example: "5" }] },
    });
    const { id } = await make({ ...webhook, filters: [{ field: "reels", is: "at_least", value: "3" }] });
    expect(await edit(id, { event_types: ["ftd"] })).toMatchObject({
      status: 422,
      body: { errors: [{ field: "filters.0.field" }] },
    });
    const params = { name: "spin" };
    const gone = await api.call(eventType.DELETE, { method: "DELETE", params });
    expect(gone).toMatchObject({ status: 409, body: { code: "field_in_use" } });
    expect(gone.body.errors[0].message).toContain(id);
    expect((await edit(id, { filters: [] })).status).toBe(200);
    expect((await api.call(eventType.DELETE, { method: "DELETE", params })).status).toBe(204);
  });
});

describe("the secrets of a template", () => {
  test("are readable nowhere, and audited by name", async () => {
    const made = await make(withToken);
    expect(made.macro_secrets).toEqual([{ name: "token", value: null }]);
    await edit(made.id, { macro_secrets: [{ name: "token", value: "canary-2" }] });
    const shown = await Promise.all([
      api.call(endpoint.GET, { params: { id: made.id } }),
      api.call(endpoints.GET, {}),
      api.call(consoleEndpoint.GET, { params: { id: made.id }, headers: { authorization: null } }),
      api.call(tryOut, { method: "POST", params: { id: made.id } }),
    ]);
    expect(JSON.stringify([made, shown])).not.toContain("canary");
    const text = await stored();
    expect(text).not.toContain("canary");
    expect(text).not.toContain(Buffer.from("canary").toString("hex"));
    const [created, edited] = await auditOf(made.id);
    expect(created.after).toMatchObject({ macro_secrets: ["token"] });
    expect(edited).toMatchObject({
      action: "endpoint.edit",
      before: { macro_secrets: ["token"] },
      after: { macro_secrets: ["token"], new_macro_secret_values: ["token"] },
    });
  });

  test("null keeps the value that is stored, and an edit that changes nothing is none", async () => {
    const { id } = await make(withToken);
    const row = async () =>
      (await api.database.pool.query("select * from posthorn.endpoints where id = $1", [id])).rows[0];
    const before = await row();
    const kept = await edit(id, { macro_secrets: [{ name: "token", value: null }] });
    expect(kept.status).toBe(200);
    expect(await row()).toEqual(before);
    expect(await auditOf(id)).toHaveLength(1);

    const body = {
      url: `${withToken.url}&k={secret.key}`,
      macro_secrets: [
        { name: "token", value: null },
        { name: "key", value: "canary-3" },
      ],
    };
    expect((await edit(id, body)).body.macro_secrets).toEqual([
      { name: "token", value: null },
      { name: "key", value: null },
    ]);
    expect((await auditOf(id))[1]).toMatchObject({
      after: { macro_secrets: ["token", "key"], new_macro_secret_values: ["key"] },
    });
  });
});

describe("the breaker", () => {
  test.each([
    ["the template", { url: `${withToken.url}&p={payout}` }],
    ["the method", { postback: { method: "POST" } }],
    ["signing", { postback: { sign: true } }],
    ["a secret", { macro_secrets: [{ name: "token", value: "canary-4" }] }],
    ["the name", { name: "Other" }, false],
    ["a filter", { filters: [{ field: "payout", is: "present" }] }, false],
  ])("with %s changed, the next delivery is the probe or not", async (_, body, probes = true) => {
    const { id } = await make(withToken);
    await api.database.pool.query(
      `update posthorn.endpoint_health set breaker = 'open', breaker_cooldown_seconds = 1200, consecutive_failures = 10,
         ready_at = now() + interval '20 minutes' where endpoint_id = $1`,
      [id],
    );
    expect((await edit(id, body)).status).toBe(200);
    const { rows } = await api.database.pool.query(
      `select breaker, ready_at <= now() as is_ready, array(select cause from posthorn.breaker_transitions t
         where t.endpoint_id = h.endpoint_id)::text[] as causes
       from posthorn.endpoint_health h where endpoint_id = $1`,
      [id],
    );
    const causes = probes ? ["endpoint_changed"] : [];
    expect(rows).toEqual([{ breaker: "open", is_ready: probes, causes }]);
  });
});

describe("an edit of the catalogue", () => {
  const bonus = { name: "bonus", kind: "decimal", example: "1.00" };
  const level = { name: "level", kind: "integer", example: "7" };
  const editType = (name: string, fields: unknown[]) =>
    api.call(eventType.PATCH, { method: "PATCH", params: { name }, body: { fields } });

  test("that would break a template is refused, and names the endpoint", async () => {
    await api.call(eventTypes.POST, { body: { name: "bonus.paid", fields: [bonus, level] } });
    const made = await make({
      name: "Bonus tracker",
      event_types: ["bonus.paid"],
      url: page,
      postback: { ...json, body: '{"b":{bonus}}' },
    });
    for (const fields of [[level], [{ ...bonus, kind: "string", example: "x" }, level]]) {
      const refused = await editType("bonus.paid", fields);
      expect(refused).toMatchObject({
        status: 409,
        body: { code: "field_in_use", errors: [{ field: "fields" }] },
      });
      expect(refused.body.errors[0].message).toContain(`"Bonus tracker" (${made.id})`);
    }
    expect((await editType("bonus.paid", [bonus])).status).toBe(200);
    await api.call(endpoint.DELETE, { method: "DELETE", params: { id: made.id } });
    expect((await editType("bonus.paid", [level])).status).toBe(200);
  });

  test("may not take away a field that a default or a filter would then speak for", async () => {
    for (const name of ["bonus.first", "bonus.next"]) {
      await api.call(eventTypes.POST, { body: { name, fields: [bonus, level] } });
    }
    await make({ name: "Two types", event_types: ["bonus.first", "bonus.next"], url: `${page}?b={bonus|0}` });
    const filters = [{ field: "level", is: "at_least", value: "3" }];
    await make({ name: "Filtered", event_types: ["bonus.first", "bonus.next"], url: page, filters });
    for (const [fields, name] of [
      [[level], "Two types"],
      [[bonus], "Filtered"],
    ] as const) {
      const refused = await editType("bonus.first", [...fields]);
      expect(refused).toMatchObject({ status: 409, body: { code: "field_in_use" } });
      expect(refused.body.errors.map((error: { message: string }) => error.message)).toEqual([
        expect.stringContaining(`"${name}"`),
      ]);
    }
  });

  test("is not held up by what did not hold before", async () => {
    await api.call(eventTypes.POST, { body: { name: "note.first", fields: [bonus] } });
    await make({
      kind: "webhook",
      postback: undefined,
      name: "All",
      event_types: null,
      url: page,
      filters: [{ field: "bonus", is: "at_least", value: "1" }],
    });
    await api.call(eventTypes.POST, {
      body: { name: "note.next", fields: [{ ...bonus, kind: "string", example: "x" }] },
    });
    expect((await editType("note.first", [bonus, level])).status).toBe(200);
  });

  test("waits for an edit of a template that is under way, and then knows it", async () => {
    const { pool } = api.database;
    await api.call(eventTypes.POST, { body: { name: "race.field", fields: [bonus, level] } });
    const { id } = await make({ url: `${page}?l={level}`, event_types: ["race.field"] });
    const waiting = (count: number) =>
      eventually(async () => {
        const { rows } = await pool.query(
          "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        );
        return rows.length === count || null;
      });
    const client = await pool.connect();
    await client.query("begin");
    await client.query("select from posthorn.endpoint_health where endpoint_id = $1 for update", [id]);
    // The template has been checked and stored, and waits to be committed.
    const template = edit(id, { url: `${page}?b={bonus}` });
    await waiting(1);
    const catalogue = editType("race.field", [level]);
    await Promise.race([catalogue, waiting(2).catch(() => undefined)]);
    await client.query("commit");
    client.release();
    expect((await template).status).toBe(200);
    expect(await catalogue).toMatchObject({ status: 409, body: { code: "field_in_use" } });
  });
});
