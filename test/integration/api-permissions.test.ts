import { beforeAll, describe, expect, test } from "vitest";
import { apiPermissions, type Caller } from "#test/fixtures/api-permissions.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { createAffiliate, createApiKey } from "#test/helpers/factories.ts";
import { type Handler, handlersOf } from "#test/helpers/handlers.ts";

const files = import.meta.glob<Record<string, Handler>>("../../app/api/v1/**/route.ts", { eager: true });
const handlers = handlersOf(files, "../../app/api/v1");
const api = setUpApi();
const params = {
  id: "01890a5d-ac96-774b-bcce-b302099a8057",
  secretId: "01890a5d-ac96-774b-bcce-b302099a8057",
  key: "nobody",
  name: "nothing",
};

const callers: Caller[] = ["publish", "read", "affiliate", "manage"];
const keys = {} as Record<Caller | "revoked" | "expired", string>;

beforeAll(async () => {
  const { pool } = api.database;
  const make = async (given: Parameters<typeof createApiKey>[1]) => (await createApiKey(pool, given)).key;
  const affiliate = await createAffiliate(pool);
  Object.assign(keys, {
    publish: await make({ purpose: "publish" }),
    read: await make({ purpose: "read" }),
    affiliate: await make({ purpose: "read", affiliateId: affiliate.id }),
    manage: await make({}),
    revoked: await make({ revokedAt: "now()" }),
    expired: await make({ expiresAt: "now()" }),
  });
});

test("every handler has a row, and every row a handler", () => {
  expect(handlers.map(({ name }) => name).sort()).toEqual(Object.keys(apiPermissions).sort());
});

describe.each(handlers)("$name", ({ name, method, handler }) => {
  const call = (authorization: string | null) =>
    api.call(handler, { method, params, headers: { authorization } });

  test("needs a live key", async () => {
    const dead = [keys.revoked, keys.expired, "phk_wrong"].map((key) => `Bearer ${key}`);
    for (const authorization of [null, ...dead]) {
      expect(await call(authorization)).toMatchObject({ status: 401, body: { code: "unauthorized" } });
    }
  });

  test.each(callers)("judges a key for: %s", async (caller) => {
    const answer = await call(`Bearer ${keys[caller]}`);
    if (apiPermissions[name]?.includes(caller)) {
      expect([401, 403]).not.toContain(answer.status);
      expect(answer.status).toBeLessThan(500);
    } else {
      expect(answer).toMatchObject({ status: 403, body: { code: "forbidden" } });
      expect(answer.body.detail).toMatch(
        / needs one for (publish or |read or )?manage( without that limit)?$/,
      );
    }
  });
});
