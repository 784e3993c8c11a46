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

describe("event types", () => {
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
    [{ name: "a", fields: [] }, "fields"],
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
