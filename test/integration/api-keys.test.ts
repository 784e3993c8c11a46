import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { ensureFirstApiKey } from "#lib/auth/api-keys.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { createApiKey } from "#test/helpers/factories.ts";
import { createTestDatabase } from "#test/helpers/postgres.ts";
import { GET as listAffiliates } from "../../app/api/v1/affiliates/route.ts";

const api = setUpApi();

describe("calling with a key", () => {
  test("only a live key is let in", async () => {
    expect(await api.call(listAffiliates)).toMatchObject({ status: 200 });
    for (const authorization of [
      null,
      "",
      "Bearer",
      "Bearer ",
      api.key,
      `Basic ${api.key}`,
      `Bearer ${api.key}x`,
      `Bearer ${api.key} more`,
      `Bearer ${"x".repeat(10_000)}`,
    ]) {
      const answer = await api.call(listAffiliates, { headers: { authorization } });
      expect(answer, `${authorization}`).toMatchObject({ status: 401, body: { code: "unauthorized" } });
      expect(answer.headers.get("www-authenticate")).toContain("Bearer");
    }
  });

  test("a revoked key is dead at the next call", async () => {
    const { pool } = api.database;
    await ensureFirstApiKey(pool, { provided: "a-second-key-for-automation" });
    const headers = { authorization: "Bearer a-second-key-for-automation" };
    expect(await api.call(listAffiliates, { headers })).toMatchObject({ status: 200 });
    await pool.query("update posthorn.api_keys set revoked_at = now() where name = 'From the environment'");
    expect(await api.call(listAffiliates, { headers })).toMatchObject({ status: 401 });
    await ensureFirstApiKey(pool, { provided: "a-second-key-for-automation" });
    expect(await api.call(listAffiliates, { headers })).toMatchObject({ status: 401 });
  });
});

describe("the last use of a key", () => {
  const lastUse = async (id: string) => {
    const { rows } = await api.database.pool.query(
      "select last_used_at, xmin::text as version from posthorn.api_keys where id = $1",
      [id],
    );
    return rows[0] as { last_used_at: Date | null; version: string };
  };

  test("is noted beside the call, once a minute however many calls there are", async () => {
    const { pool } = api.database;
    const { id, key } = await createApiKey(pool);
    const headers = { authorization: `Bearer ${key}` };
    const callTwenty = () =>
      Promise.all(Array.from({ length: 20 }, () => api.call(listAffiliates, { headers })));
    expect((await lastUse(id)).last_used_at).toBeNull();
    await callTwenty();
    await expect.poll(async () => (await lastUse(id)).last_used_at).toBeInstanceOf(Date);
    const noted = await lastUse(id);
    await callTwenty();
    expect(await lastUse(id)).toEqual(noted);
    await pool.query(
      "update posthorn.api_keys set last_used_at = now() - interval '61 seconds' where id = $1",
      [id],
    );
    await callTwenty();
    await expect.poll(async () => Date.now() - Number((await lastUse(id)).last_used_at)).toBeLessThan(60_000);
  });

  test("waits for nobody: a call is answered while the key's row is locked", async () => {
    const { pool } = api.database;
    const { id, key } = await createApiKey(pool);
    const client = await pool.connect();
    try {
      await client.query("begin");
      await client.query("select from posthorn.api_keys where id = $1 for update", [id]);
      const answer = await api.call(listAffiliates, { headers: { authorization: `Bearer ${key}` } });
      expect(answer).toMatchObject({ status: 200 });
    } finally {
      await client.query("rollback");
      client.release();
    }
  });
});

describe("the first key", () => {
  test("many processes that start at once make one, and keep only its hash", async () => {
    const { pool } = await createTestDatabase();
    const made = await Promise.all(Array.from({ length: 10 }, () => ensureFirstApiKey(pool, {})));
    const [first, ...more] = made.filter((result) => result !== null);
    expect(more).toEqual([]);
    expect(first?.key).toMatch(/^phk_[A-Za-z0-9_-]{43}$/);
    const { rows } = await pool.query(
      "select prefix, key_hash, to_jsonb(k)::text as text from posthorn.api_keys k",
    );
    expect(rows).toHaveLength(1);
    expect(rows[0].key_hash).toEqual(
      createHash("sha256")
        .update(first?.key ?? "")
        .digest(),
    );
    expect(rows[0].prefix).toBe(first?.key.slice(0, 8));
    expect(rows[0].text).not.toContain(first?.key);
    expect(await ensureFirstApiKey(pool, {})).toBeNull();
    const { rows: audit } = await pool.query("select actor_kind, action, after from posthorn.audit_log");
    expect(audit).toEqual([
      { actor_kind: "system", action: "api_key.create", after: { name: "First key", purpose: "manage" } },
    ]);
  });

  test("one that is provided is stored once, and none is made beside it", async () => {
    const { pool } = await createTestDatabase();
    const provided = "provided-key-of-24-chars";
    const results = await Promise.all(Array.from({ length: 5 }, () => ensureFirstApiKey(pool, { provided })));
    expect(results).toEqual([null, null, null, null, null]);
    expect(await ensureFirstApiKey(pool, {})).toBeNull();
    const { rows } = await pool.query("select prefix from posthorn.api_keys");
    expect(rows).toEqual([{ prefix: "provid" }]);
  });
});
