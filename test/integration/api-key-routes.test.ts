import { describe, expect, test } from "vitest";
import { setUpApi } from "#test/helpers/api.ts";
import { createAffiliate } from "#test/helpers/factories.ts";
import { DELETE as deleteAffiliate } from "../../app/api/v1/affiliates/[key]/route.ts";
import { GET as read, DELETE as revoke } from "../../app/api/v1/api-keys/[id]/route.ts";
import { POST as create, GET as list } from "../../app/api/v1/api-keys/route.ts";
import { GET as listEvents, POST as publish } from "../../app/api/v1/events/route.ts";

const api = setUpApi();
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const missing = "01890a5d-ac96-774b-bcce-b302099a8057";

async function auditOf(id: string) {
  const { rows } = await api.database.pool.query(
    "select action, actor_kind, before, after from posthorn.audit_log where object_id = $1 order by id",
    [id],
  );
  return rows;
}

describe("a key's life", () => {
  test("it is shown once, works for its purpose, and ends when it is revoked", async () => {
    const affiliate = await createAffiliate(api.database.pool);
    const made = await api.call(create, { body: { name: " The shop ", purpose: "publish" } });
    expect(made.status).toBe(201);
    const { key, ...rest } = made.body;
    expect(key).toMatch(/^phk_[A-Za-z0-9_-]{43}$/);
    expect(rest).toMatchObject({
      name: "The shop",
      purpose: "publish",
      affiliate: null,
      prefix: key.slice(0, 8),
      status: "active",
      created_by: "First key",
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
    });
    const { id } = rest;
    expect((await api.call(read, { params: { id } })).body).toEqual(rest);
    expect(JSON.stringify((await api.call(list)).body)).not.toContain(key);

    const event = { type: "ftd", affiliate: affiliate.key, data: {} };
    expect(await api.call(publish, { body: event, headers: bearer(key) })).toMatchObject({ status: 202 });
    expect(await api.call(listEvents, { headers: bearer(key) })).toMatchObject({
      status: 403,
      body: { code: "forbidden", detail: "This key is for publish; this needs one for read or manage" },
    });
    await expect
      .poll(async () => (await api.call(read, { params: { id } })).body.last_used_at)
      .toEqual(expect.any(String));

    for (let times = 0; times < 2; times += 1) {
      expect(await api.call(revoke, { method: "DELETE", params: { id } })).toMatchObject({ status: 204 });
    }
    expect(await api.call(publish, { body: event, headers: bearer(key) })).toMatchObject({ status: 401 });
    expect((await api.call(read, { params: { id } })).body).toMatchObject({
      status: "revoked",
      revoked_at: expect.any(String),
    });
    expect(await auditOf(id)).toEqual([
      {
        action: "api_key.create",
        actor_kind: "api_key",
        before: null,
        after: { name: "The shop", purpose: "publish" },
      },
      { action: "api_key.revoke", actor_kind: "api_key", before: { name: "The shop" }, after: null },
    ]);
  });

  test("it ends at its time", async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await api.call(create, { body: { name: "For an hour", purpose: "read", expires_at } });
    expect(body).toMatchObject({ status: "active", expires_at });
    expect(await api.call(listEvents, { headers: bearer(body.key) })).toMatchObject({ status: 200 });
    await api.database.pool.query("update posthorn.api_keys set expires_at = now() where id = $1", [body.id]);
    expect(await api.call(listEvents, { headers: bearer(body.key) })).toMatchObject({ status: 401 });
    expect((await api.call(read, { params: { id: body.id } })).body.status).toBe("expired");
  });

  test("it ends with its affiliate", async () => {
    const { key: affiliate } = await createAffiliate(api.database.pool);
    const { body } = await api.call(create, { body: { name: "Theirs", purpose: "read", affiliate } });
    expect(body.affiliate).toMatchObject({ key: affiliate });
    expect(await api.call(listEvents, { headers: bearer(body.key) })).toMatchObject({ status: 200 });
    await api.call(deleteAffiliate, { method: "DELETE", params: { key: affiliate } });
    expect(await api.call(listEvents, { headers: bearer(body.key) })).toMatchObject({ status: 401 });
    expect((await auditOf(body.id)).map(({ action }) => action)).toEqual([
      "api_key.create",
      "api_key.revoke",
    ]);
  });
});

test("keys are found by name, prefix, id, purpose, status and affiliate", async () => {
  const { key: affiliate } = await createAffiliate(api.database.pool);
  const make = async (body: object) => (await api.call(create, { body })).body;
  const one = await make({ name: "Findable 100%", purpose: "read", affiliate });
  const other = await make({ name: "Findable too", purpose: "publish" });
  await api.call(revoke, { method: "DELETE", params: { id: other.id } });
  const found = async (query: Record<string, string>) =>
    (await api.call(list, { query })).body.data.map(({ id }: { id: string }) => id);
  expect(await found({ q: "findable" })).toEqual([other.id, one.id]);
  expect(await found({ q: "100%" })).toEqual([one.id]);
  expect(await found({ q: one.prefix })).toEqual([one.id]);
  expect(await found({ q: other.id })).toEqual([other.id]);
  expect(await found({ q: "findable", purpose: "read" })).toEqual([one.id]);
  expect(await found({ q: "findable", status: "revoked" })).toEqual([other.id]);
  expect(await found({ affiliate })).toEqual([one.id]);
  const first = await api.call(list, { query: { q: "findable", limit: "1" } });
  const second = await api.call(list, {
    query: { q: "findable", limit: "1", cursor: first.body.next_cursor },
  });
  expect(second.body.data).toMatchObject([{ id: one.id }]);
});

describe("refused", () => {
  test.each([
    ["no name", { purpose: "read" }, "name"],
    ["a blank name", { name: "  ", purpose: "read" }, "name"],
    ["no purpose", { name: "a" }, "purpose"],
    ["an unknown purpose", { name: "a", purpose: "root" }, "purpose"],
    ["an affiliate's key to publish with", { name: "a", purpose: "publish", affiliate: "x" }, "affiliate"],
    ["an affiliate's key to manage with", { name: "a", purpose: "manage", affiliate: "x" }, "affiliate"],
    ["an unknown affiliate", { name: "a", purpose: "read", affiliate: "nobody" }, "affiliate"],
    [
      "an end that has passed",
      { name: "a", purpose: "read", expires_at: "2020-01-01T00:00:00Z" },
      "expires_at",
    ],
    [
      "an end without a zone",
      { name: "a", purpose: "read", expires_at: "2099-01-01T00:00:00" },
      "expires_at",
    ],
    ["a key of one's own", { name: "a", purpose: "read", key: "phk_x" }, "key"],
  ])("%s", async (_what, body, field) => {
    const answer = await api.call(create, { body });
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid_input" } });
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
  });

  test("ids that no key has", async () => {
    for (const id of [missing, "1"]) {
      expect(await api.call(read, { params: { id } })).toMatchObject({ status: 404 });
      expect(await api.call(revoke, { method: "DELETE", params: { id } })).toMatchObject({ status: 404 });
    }
  });
});
