import { describe, expect, test } from "vitest";
import { setUpApi } from "#test/helpers/api.ts";
import * as affiliate from "../../app/api/v1/affiliates/[key]/route.ts";
import * as affiliates from "../../app/api/v1/affiliates/route.ts";
import * as endpoint from "../../app/api/v1/endpoints/[id]/route.ts";
import * as endpoints from "../../app/api/v1/endpoints/route.ts";
import * as eventType from "../../app/api/v1/event-types/[name]/route.ts";
import * as eventTypes from "../../app/api/v1/event-types/route.ts";

const api = setUpApi();

async function auditOf(kind: string, id: string) {
  const { rows } = await api.database.pool.query(
    "select action, actor_kind, actor_name, before, after from posthorn.audit_log where object_kind = $1 and object_id = $2 order by id",
    [kind, id],
  );
  return rows;
}

describe("affiliates", () => {
  test("are made, read, edited and deleted, each change with its line in the audit log", async () => {
    const made = await api.call(affiliates.POST, { body: { key: "acme", name: " Acme Ltd " } });
    expect(made).toMatchObject({ status: 201, body: { key: "acme", name: "Acme Ltd", endpoint_count: 0 } });
    const { id } = made.body;
    expect(await api.call(affiliate.GET, { params: { key: "acme" } })).toMatchObject({
      status: 200,
      body: made.body,
    });

    const edited = await api.call(affiliate.PATCH, {
      method: "PATCH",
      params: { key: "acme" },
      body: { key: "acme.com", name: "Acme Ltd" },
    });
    expect(edited).toMatchObject({ status: 200, body: { id, key: "acme.com", name: "Acme Ltd" } });
    expect(await api.call(affiliate.GET, { params: { key: "acme" } })).toMatchObject({ status: 404 });

    expect(await api.call(affiliate.DELETE, { method: "DELETE", params: { key: "acme.com" } })).toMatchObject(
      {
        status: 204,
      },
    );
    expect(await api.call(affiliate.GET, { params: { key: "acme.com" } })).toMatchObject({ status: 404 });
    expect(await auditOf("affiliate", id)).toMatchObject([
      {
        action: "affiliate.create",
        actor_kind: "api_key",
        actor_name: "First key",
        before: null,
        after: { key: "acme" },
      },
      { action: "affiliate.edit", before: { key: "acme" }, after: { key: "acme.com" } },
      { action: "affiliate.delete", before: { key: "acme.com", name: "Acme Ltd" }, after: null },
    ]);
    expect(await auditOf("affiliate", id)).toMatchObject([{}, { before: { key: "acme" } }, {}]);
  });

  test("an edit that changes nothing leaves no trace", async () => {
    const { body: made } = await api.call(affiliates.POST, { body: { key: "same", name: "Same" } });
    const edit = { method: "PATCH", params: { key: "same" }, body: { name: "Same" } } as const;
    expect(await api.call(affiliate.PATCH, edit)).toMatchObject({ status: 200, body: made });
    expect(await auditOf("affiliate", made.id)).toHaveLength(1);
  });

  test("a key that is taken is a conflict until its holder is deleted", async () => {
    const one = { key: "taken", name: "One" };
    await api.call(affiliates.POST, { body: one });
    await api.call(affiliates.POST, { body: { key: "other", name: "Other" } });
    const conflict = { status: 409, body: { code: "already_exists", errors: [{ field: "key" }] } };
    expect(await api.call(affiliates.POST, { body: one })).toMatchObject(conflict);
    const edit = { method: "PATCH", params: { key: "other" }, body: { key: "taken" } } as const;
    expect(await api.call(affiliate.PATCH, edit)).toMatchObject(conflict);
    await api.call(affiliate.DELETE, { method: "DELETE", params: { key: "taken" } });
    expect(await api.call(affiliates.POST, { body: one })).toMatchObject({ status: 201 });
  });

  test("one with endpoints cannot be deleted", async () => {
    await api.call(affiliates.POST, { body: { key: "owner", name: "Owner" } });
    const made = await api.call(endpoints.POST, {
      body: { affiliate: "owner", name: "e", url: "http://127.0.0.1:1/" },
    });
    expect(await api.call(affiliate.GET, { params: { key: "owner" } })).toMatchObject({
      body: { endpoint_count: 1 },
    });
    const remove = { method: "DELETE", params: { key: "owner" } } as const;
    expect(await api.call(affiliate.DELETE, remove)).toMatchObject({ status: 409, body: { code: "in_use" } });
    await api.call(endpoint.DELETE, { method: "DELETE", params: { id: made.body.id } });
    expect(await api.call(affiliate.DELETE, remove)).toMatchObject({ status: 204 });
  });

  test.each([
    [{}, "key"],
    [{ key: "a b", name: "x" }, "key"],
    [{ key: "..", name: "x" }, "key"],
    [{ key: 7, name: "x" }, "key"],
    [{ key: "a", name: "  " }, "name"],
    [{ key: "a", name: "x".repeat(201) }, "name"],
    [{ key: "a", name: "x\0" }, "name"],
    [{ key: "a", name: "\ud800" }, "name"],
    [{ key: "a", name: "x", id: "1" }, "id"],
    [[], "body"],
  ])("%j is refused", async (body, field) => {
    const answer = await api.call(affiliates.POST, { body });
    expect(answer).toMatchObject({ status: 422 });
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
  });

  test("an edit must change something", async () => {
    const edit = { method: "PATCH", params: { key: "other" }, body: {} } as const;
    expect(await api.call(affiliate.PATCH, edit)).toMatchObject({
      status: 422,
      body: { errors: [{ field: "body" }] },
    });
  });

  test("are found by a part of key or name, which is no pattern", async () => {
    await api.call(affiliates.POST, { body: { key: "q_1", name: "100 % Traffic" } });
    await api.call(affiliates.POST, { body: { key: "qx1", name: "Back\\slash" } });
    const keysFor = async (q: string) =>
      (await api.call(affiliates.GET, { query: { q } })).body.data.map((row: { key: string }) => row.key);
    expect(await keysFor("Q_1")).toEqual(["q_1"]);
    expect(await keysFor("0 %")).toEqual(["q_1"]);
    expect(await keysFor("k\\s")).toEqual(["qx1"]);
    expect(await keysFor("nobody")).toEqual([]);
    expect(await api.call(affiliates.GET, { query: { q: "a\0" } })).toMatchObject({ status: 422 });
  });
});

const clickId = { name: "click_id", kind: "string", example: "clk_1" };
const payout = { name: "payout", kind: "decimal", example: "12.50" };
const unmarked = { description: "", required: false, sensitive: false, searchable: false };

describe("event types", () => {
  test("the starting catalogue has its fields, none required", async () => {
    const { body } = await api.call(eventTypes.GET, {});
    expect(body.data).toHaveLength(9);
    for (const type of body.data) {
      const marked = (mark: string) =>
        type.fields.filter((field: Record<string, unknown>) => field[mark]).map(nameOf);
      expect(type).toMatchObject({ invalid_data: "refuse", deprecated_at: null });
      expect(type.fields.map(nameOf)).toEqual([
        ...["click_id", "conversion_id", "transaction_id", "payout", "amount", "currency", "status", "goal"],
        ...["offer_id", "campaign_id", "country"],
        ...Array.from({ length: 10 }, (_, i) => `sub${i + 1}`),
        ...(type.name === "deposit" ? ["deposit_number"] : []),
        "occurred_at",
      ]);
      expect(marked("required")).toEqual([]);
      expect(marked("sensitive")).toEqual([
        "click_id",
        "conversion_id",
        "transaction_id",
        "payout",
        "amount",
      ]);
      expect(marked("searchable")).toEqual(["click_id", "conversion_id", "transaction_id"]);
      // It could be saved as it is.
      const made = await api.call(eventTypes.POST, {
        body: { name: `copy.${type.name}`, fields: type.fields },
      });
      expect(made).toMatchObject({ status: 201, body: { fields: type.fields } });
    }
    const declined = await api.call(eventType.GET, { params: { name: "conversion.declined" } });
    expect(JSON.parse(declined.body.example_data)).toMatchObject({ payout: "45.00", status: "declined" });
  });
  const nameOf = (field: { name: string }) => field.name;

  test("keep their fields in the order given, and show an example of their data", async () => {
    const body = {
      name: "order.paid",
      fields: [
        { ...payout, sensitive: true },
        { ...clickId, required: true, searchable: true, description: " The click " },
        { name: "items", kind: "integer", example: "3" },
      ],
    };
    const made = await api.call(eventTypes.POST, { body });
    const fields = [
      { ...unmarked, ...payout, sensitive: true },
      { ...unmarked, ...clickId, required: true, searchable: true, description: "The click" },
      { ...unmarked, name: "items", kind: "integer", example: "3" },
    ];
    expect(made).toMatchObject({
      status: 201,
      body: { fields, invalid_data: "refuse", deprecated_at: null },
    });
    const params = { name: "order.paid" };
    const got = await api.call(eventType.GET, { params });
    expect(got.body.example_data).toBe('{\n  "payout": "12.50",\n  "click_id": "clk_1",\n  "items": 3\n}');

    const edit = (body: unknown) => api.call(eventType.PATCH, { method: "PATCH", params, body });
    const reordered = [fields[1], fields[0]];
    expect(await edit({ fields: reordered, invalid_data: "warn" })).toMatchObject({
      status: 200,
      body: { fields: reordered, invalid_data: "warn" },
    });
    expect(await edit({ fields: reordered })).toMatchObject({ status: 200 });
    expect(await edit({})).toMatchObject({ status: 422, body: { errors: [{ field: "body" }] } });
    expect(await auditOf("event_type", "order.paid")).toMatchObject([
      { action: "event_type.create", after: { name: "order.paid", fields, invalid_data: "refuse" } },
      {
        action: "event_type.edit",
        before: { fields, invalid_data: "refuse" },
        after: { fields: reordered, invalid_data: "warn" },
      },
    ]);
  });

  test("are deprecated, since when, and taken back", async () => {
    await api.call(eventTypes.POST, { body: { name: "old" } });
    const params = { name: "old" };
    const edit = (body: unknown) => api.call(eventType.PATCH, { method: "PATCH", params, body });
    const deprecated = await edit({ deprecated: true });
    expect(deprecated).toMatchObject({ status: 200, body: { deprecated_at: expect.any(String) } });
    expect((await edit({ deprecated: true, description: "Old" })).body.deprecated_at).toBe(
      deprecated.body.deprecated_at,
    );
    expect((await edit({ deprecated: false })).body.deprecated_at).toBeNull();
    expect((await auditOf("event_type", "old")).map((row) => row.after)).toMatchObject([
      {},
      { deprecated: true },
      { description: "Old" },
      { deprecated: false },
    ]);
  });

  test("are made, read, edited and deleted, each change with its line in the audit log", async () => {
    const made = await api.call(eventTypes.POST, { body: { name: "invoice.paid", description: "Paid" } });
    expect(made).toMatchObject({ status: 201, body: { name: "invoice.paid", description: "Paid" } });
    const params = { name: "invoice.paid" };
    expect(await api.call(eventType.GET, { params })).toMatchObject({ status: 200, body: made.body });
    const edit = { method: "PATCH", params, body: { description: "An invoice was paid" } } as const;
    expect(await api.call(eventType.PATCH, edit)).toMatchObject({
      body: { description: "An invoice was paid" },
    });
    expect(await api.call(eventTypes.POST, { body: { name: "invoice.paid" } })).toMatchObject({
      status: 409,
      body: { errors: [{ field: "name" }] },
    });
    expect(await api.call(eventType.DELETE, { method: "DELETE", params })).toMatchObject({ status: 204 });
    expect(await api.call(eventType.GET, { params })).toMatchObject({ status: 404 });
    expect(await api.call(eventType.PATCH, edit)).toMatchObject({ status: 404 });
    expect((await auditOf("event_type", "invoice.paid")).map((row) => row.action)).toEqual([
      "event_type.create",
      "event_type.edit",
      "event_type.delete",
    ]);
  });

  test("one that an endpoint names cannot be deleted", async () => {
    await api.call(eventTypes.POST, { body: { name: "named" } });
    await api.call(affiliates.POST, { body: { key: "namer", name: "Namer" } });
    const made = await api.call(endpoints.POST, {
      body: { affiliate: "namer", name: "e", url: "http://127.0.0.1:1/", event_types: ["ftd", "named"] },
    });
    const remove = { method: "DELETE", params: { name: "named" } } as const;
    expect(await api.call(eventType.DELETE, remove)).toMatchObject({ status: 409, body: { code: "in_use" } });
    await api.call(endpoint.PATCH, {
      method: "PATCH",
      params: { id: made.body.id },
      body: { event_types: null },
    });
    expect(await api.call(eventType.DELETE, remove)).toMatchObject({ status: 204 });
  });

  test.each([
    [{ name: "Upper" }, "name"],
    [{ name: "a..b" }, "name"],
    [{ name: "a", description: "x".repeat(1_001) }, "description"],
    [{ name: "a", colour: "red" }, "colour"],
    [{ name: "a", invalid_data: "ignore" }, "invalid_data"],
    [{ name: "a", deprecated: true }, "deprecated"],
    [{ name: "a", fields: {} }, "fields"],
    [{ name: "a", fields: Array.from({ length: 101 }, (_, i) => ({ ...clickId, name: `f${i}` })) }, "fields"],
    [{ name: "a", fields: [clickId, clickId] }, "fields.1.name"],
    [{ name: "a", fields: [{ ...clickId, name: "Click" }] }, "fields.0.name"],
    [{ name: "a", fields: [{ ...clickId, name: "1st" }] }, "fields.0.name"],
    [{ name: "a", fields: [{ ...clickId, name: "x".repeat(65) }] }, "fields.0.name"],
    [{ name: "a", fields: [{ ...clickId, name: "__proto__" }] }, "fields.0.name"],
    [{ name: "a", fields: [{ ...clickId, name: "timestamp_ms" }] }, "fields.0.name"],
    [{ name: "a", fields: [{ ...clickId, kind: "number" }] }, "fields.0.kind"],
    [{ name: "a", fields: [{ ...clickId, name: "occurred_at" }] }, "fields.0.kind"],
    [{ name: "a", fields: [{ ...payout, searchable: true }] }, "fields.0.searchable"],
    [{ name: "a", fields: [{ ...payout, example: "1e3" }] }, "fields.0.example"],
    [{ name: "a", fields: [{ ...payout, example: 12.5 }] }, "fields.0.example"],
    [{ name: "a", fields: [{ ...clickId, example: "" }] }, "fields.0.example"],
    [{ name: "a", fields: [{ name: "b", kind: "string" }] }, "fields.0.example"],
    [{ name: "a", fields: [{ ...clickId, type: "text" }] }, "fields.0.type"],
  ])("%j is refused", async (body, field) => {
    expect(await api.call(eventTypes.POST, { body })).toMatchObject({
      status: 422,
      body: { errors: [{ field }] },
    });
  });
});

describe("paging", () => {
  type Page = { data: { name: string }[]; next_cursor: string | null; previous_cursor: string | null };
  const page = async (query: Record<string, string>): Promise<Page> =>
    (await api.call(eventTypes.GET, { query })).body;
  const names = (answer: Page) => answer.data.map((row) => row.name);

  test("walks forwards and back over every row once", async () => {
    const all = await page({});
    expect(names(all)).toEqual([...names(all)].sort());
    expect(all).toMatchObject({ next_cursor: null, previous_cursor: null });

    const seen: string[][] = [];
    let at = await page({ limit: "4" });
    expect(at.previous_cursor).toBeNull();
    for (;;) {
      seen.push(names(at));
      if (at.next_cursor === null) break;
      at = await page({ limit: "4", cursor: at.next_cursor });
    }
    expect(seen.flat()).toEqual(names(all));
    const back = [names(at)];
    while (at.previous_cursor !== null) {
      at = await page({ limit: "4", cursor: at.previous_cursor });
      back.unshift(names(at));
    }
    expect(back).toEqual(seen);
  });

  test("a cursor that is not ours is refused by its name", async () => {
    const { next_cursor: cursor } = await page({ limit: "1" });
    const forged = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString("base64url");
    for (const tampered of [
      "",
      "x",
      `${cursor}x`,
      "%00",
      forged(["n"]),
      forged(["n", "Not a name"]),
      forged(["n", "a", "b"]),
      forged(["x", "a"]),
      forged({}),
      forged(["n", 1]),
      "A".repeat(501),
    ]) {
      expect(await api.call(eventTypes.GET, { query: { cursor: tampered } }), tampered).toMatchObject({
        status: 422,
        body: { errors: [{ field: "cursor" }] },
      });
    }
  });
});
