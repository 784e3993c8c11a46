import { beforeAll, describe, expect, test } from "vitest";
import { fanOut } from "#lib/queue/fan-out.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { makeDeadLetters } from "#test/helpers/dead-letters.ts";
import { createAffiliate, createEndpoint, fanOutOptions, publish } from "#test/helpers/factories.ts";
import { type Handler, handlersOf, type NamedHandler } from "#test/helpers/handlers.ts";
import { createUserSession, type TestUser } from "#test/helpers/users.ts";
import * as account from "../../app/api/console/account/route.ts";

/** What a caller sends back to us and may have changed: cursors of lists, and the cookie of a session. */
const files = import.meta.glob<Record<string, Handler>>("../../app/**/route.ts", { eager: true });
const lists = handlersOf(files, "../../app").filter(
  ({ name, method }) => method === "GET" && !name.includes("["),
);
const api = setUpApi();
const users: TestUser[] = [];
const affiliateIds: string[] = [];

beforeAll(async () => {
  const { pool } = api.database;
  for (let n = 0; n < 2; n++) {
    const affiliate = await createAffiliate(pool);
    affiliateIds.push(affiliate.id);
    users.push(await createUserSession(pool, { role: "affiliate", affiliateId: affiliate.id }));
    for (let m = 0; m < 3; m++) {
      const endpoint = await createEndpoint(pool, { url: "http://127.0.0.1:9/", affiliate });
      await publish(pool, { affiliate: affiliate.key, data: '{"click_id":"c"}' });
      await makeDeadLetters(pool, { endpoint, count: 2 });
    }
  }
  await fanOut(pool, fanOutOptions);
});

const ask = (handler: Handler, query: Record<string, string>, as?: TestUser) =>
  api.call(handler, { query: { limit: "1", ...query }, ...(as ? { as } : {}) });

/** The lists that have a second page, with its cursor; for a user, those of the console. */
async function cursorsFor(as?: TestUser): Promise<(NamedHandler & { cursor: string })[]> {
  const found: (NamedHandler & { cursor: string })[] = [];
  for (const list of lists.filter(({ name }) => !as || name.includes("/console/"))) {
    const { body } = await ask(list.handler, {}, as);
    if (typeof body?.next_cursor === "string") found.push({ ...list, cursor: body.next_cursor });
  }
  return found;
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const partsOf = (cursor: string) =>
  JSON.parse(Buffer.from(cursor.split(".")[0] ?? "", "base64url").toString("utf8"));

describe("a cursor", () => {
  test("that was changed, and be it by one sign, is refused by its name in every list", async () => {
    const found = await cursorsFor();
    const names = found.map(({ name }) => name);
    for (const list of ["affiliates", "endpoints", "deliveries", "events", "dead-letters"])
      expect(names).toContain(`GET /api/v1/${list}`);
    for (const { name, handler, cursor } of found) {
      const [position = "", signature = ""] = cursor.split(".");
      const [mark, ...key] = partsOf(cursor);
      const last = signature.endsWith("A") ? "B" : "A";
      for (const tampered of [
        position,
        `${position}.`,
        `.${signature}`,
        `${cursor}.`,
        `${cursor}.${signature}`,
        `${cursor}=`,
        `${position}.${signature.slice(0, -1)}${last}`,
        `${position}.${signature.slice(0, -4)}`,
        `${encoded([mark === "n" ? "p" : "n", ...key])}.${signature}`,
        `${encoded([mark, ...key.map((value: string) => value.replace(/\d/, "1").replace(/[2-9]/, "1"))])}.${signature}`,
      ]) {
        if (tampered === cursor) continue;
        expect(await ask(handler, { cursor: tampered }), `${name} ${tampered}`).toMatchObject({
          status: 422,
          body: { errors: [{ field: "cursor" }] },
        });
      }
      expect((await ask(handler, { cursor })).status, name).toBe(200);
    }
  });

  test("of another affiliate's list shows nothing of that affiliate", async () => {
    const [theirs, mine] = users as [TestUser, TestUser];
    const { rows } = await api.database.pool.query(
      `select id::text from posthorn.endpoints where affiliate_id = $1
       union select id from posthorn.events where affiliate_id = $1 union select $1::text`,
      [affiliateIds[0]],
    );
    const found = await cursorsFor(theirs);
    expect(found.length).toBeGreaterThanOrEqual(4);
    for (const { name, handler, cursor } of found) {
      const { status, body } = await ask(handler, { cursor, limit: "100" }, mine);
      expect(status, name).toBe(200);
      for (const { id } of rows) expect(JSON.stringify(body), name).not.toContain(id);
    }
  });
});

test("a session's cookie that was changed is nobody's", async () => {
  const [one, two] = users as [TestUser, TestUser];
  const split = ({ cookie }: TestUser) => {
    const [name, value = ""] = cookie.split("=");
    const [token = "", signature = ""] = decodeURIComponent(value).split(".");
    return { name, token, signature };
  };
  const [mine, theirs] = [split(one), split(two)];
  const asked = async (value: string) =>
    (await api.call(account.GET, { headers: { cookie: `${mine.name}=${value}` } })).status;
  expect(await asked(encodeURIComponent(`${mine.token}.${mine.signature}`))).toBe(200);
  for (const value of [
    mine.token,
    `${mine.token}.`,
    `.${mine.signature}`,
    `${theirs.token}.${mine.signature}`,
    `${mine.token}x.${mine.signature}`,
    `${mine.token}.${mine.signature.slice(0, -3)}`,
    `${mine.token}.${Buffer.from(mine.signature, "base64").reverse().toString("base64")}`,
    "%ff.%ff",
    "",
  ])
    expect(await asked(value.includes("%") ? value : encodeURIComponent(value)), value).toBe(401);
});
