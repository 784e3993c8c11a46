import { spawn } from "node:child_process";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fanOut } from "#lib/queue/fan-out.ts";
import { type PublishItem, publishEvents } from "#lib/queue/publish.ts";
import {
  createAffiliate,
  createEndpoint,
  fanOutOptions,
  publish,
  testSecretKey,
} from "#test/helpers/factories.ts";
import { createTestDatabase, type TestDatabase } from "#test/helpers/postgres.ts";
import { type ReceivedRequest, type Receiver, startReceiver } from "#test/helpers/receiver.ts";
import { eventually, startWorker, waitForState } from "#test/helpers/workers.ts";

/** Cases 1 to 6 of the delivery cases, through the real pipeline; HTTP's side of 2, 3, 4, 5 and 6 is in api-events. */
let db: TestDatabase;
let receiver: Receiver;

beforeAll(async () => {
  db = await createTestDatabase();
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

const headersOf = (request: ReceivedRequest) =>
  Object.fromEntries(
    request.headers.flatMap((name, i) =>
      i % 2 ? [] : [[name.toLowerCase(), request.headers[i + 1] as string]],
    ),
  );

/** As a receiver does it, with the published library. Throws when the signature does not cover these bytes. */
const verify = (request: ReceivedRequest, secret: string) =>
  new Webhook(secret).verify(request.body, headersOf(request));

describe("case 1: a producer's transaction inserts its row and publishes", () => {
  test("rolled back: no event, ever", async () => {
    const { key } = await createAffiliate(db.pool);
    const client = await db.pool.connect();
    await client.query("begin");
    await client.query(
      "select posthorn.publish(type => 'ftd', affiliate => $1, data => '{}', id => 'case-1-undone')",
      [key],
    );
    await client.query("rollback");
    client.release();
    await fanOut(db.pool, fanOutOptions);
    for (const table of [
      "event_keys where id",
      "events where id",
      "event_bodies where event_id",
      "event_outbox where event_id",
      "deliveries where event_id",
    ]) {
      const { rows } = await db.pool.query(`select count(*)::int n from posthorn.${table} = 'case-1-undone'`);
      expect(rows[0].n).toBe(0);
    }
  });

  test("committed, and the process killed at once: delivered as if it lived", async () => {
    const endpoint = await createEndpoint(db.pool, { url: receiver.url("/case-1") });
    const producer = spawn(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        `import pg from "pg";
         const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
         await client.connect();
         await client.query("begin");
         await client.query("create table if not exists public.orders (id int)");
         await client.query("insert into public.orders values (1)");
         await client.query("select posthorn.publish(type => 'ftd', affiliate => $1, data => $2, id => 'case-1-done')",
           [process.env.AFFILIATE, '{"order" : 1.0}']);
         await client.query("commit");
         process.kill(process.pid, "SIGKILL");`,
      ],
      { env: { ...process.env, DATABASE_URL: db.url, AFFILIATE: endpoint.affiliateKey } },
    );
    const signal = await new Promise((resolve) => producer.once("exit", (_, by) => resolve(by)));
    expect(signal).toBe("SIGKILL");
    await startWorker(db.url);
    const [request] = (await receiver.waitFor("/case-1", 1)) as [ReceivedRequest];
    expect(verify(request, endpoint.secret)).toMatchObject({ id: "case-1-done", type: "ftd" });
    expect(request.body.toString()).toContain('"data":{"order" : 1.0}}');
  });
});

/** What makes one id mean something else, each alone. */
const contentChanges: [string, (item: PublishItem, otherAffiliate: string) => PublishItem][] = [
  ["type", (item) => ({ ...item, type: "deposit" })],
  ["affiliate", (item, otherAffiliate) => ({ ...item, affiliate: otherAffiliate })],
  ["ordering key", (item) => ({ ...item, orderingKey: "k" })],
  ["given time", (item) => ({ ...item, occurredAt: "2026-01-01T00:00:00Z" })],
  ["data bytes", (item) => ({ ...item, data: Buffer.from('{"a": 1}') })],
];

describe("case 2: twenty concurrent publishes with one id", () => {
  test("make one event, everyone gets its id, and other content is a conflict", async () => {
    const { key } = await createAffiliate(db.pool);
    const item: PublishItem = {
      id: "case-2",
      type: "ftd",
      affiliate: key,
      occurredAt: null,
      orderingKey: null,
      data: Buffer.from('{"a":1}'),
    };
    const results = (
      await Promise.all(Array.from({ length: 20 }, () => publishEvents(db.pool, [item])))
    ).flat();
    expect(results.filter((result) => result.outcome === "accepted")).toHaveLength(1);
    expect(results.filter((result) => result.outcome === "duplicate")).toHaveLength(19);
    expect(new Set(results.map((result) => result.id))).toEqual(new Set(["case-2"]));
    const { rows } = await db.pool.query("select count(*)::int n from posthorn.events where id = 'case-2'");
    expect(rows[0].n).toBe(1);
  });

  test.each(contentChanges)("%s differs: conflict", async (_, change) => {
    const affiliate = await createAffiliate(db.pool);
    const another = await createAffiliate(db.pool);
    const id = `case-2-${affiliate.key}`;
    const item: PublishItem = {
      id,
      type: "ftd",
      affiliate: affiliate.key,
      occurredAt: null,
      orderingKey: null,
      data: Buffer.from('{"a":1}'),
    };
    await publishEvents(db.pool, [item]);
    const changed = change(item, another.key);
    expect(await publishEvents(db.pool, [changed])).toEqual([{ id, outcome: "conflict" }]);
  });

  test("arrays that share ids in opposite orders do not deadlock", async () => {
    const { key } = await createAffiliate(db.pool);
    const items = Array.from(
      { length: 200 },
      (_, i): PublishItem => ({
        id: `case-2-array-${i}`,
        type: "ftd",
        affiliate: key,
        occurredAt: null,
        orderingKey: null,
        data: Buffer.from("{}"),
      }),
    );
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => publishEvents(db.pool, i % 2 ? items : items.toReversed())),
    );
    expect(answers.flat().filter((result) => result.outcome === "accepted")).toHaveLength(200);
    expect(answers.flat().filter((result) => result.outcome === "duplicate")).toHaveLength(1_400);
  });
});

describe("cases 3 and 4: exact bytes", () => {
  const texts = {
    "case 3: big integers, 1.0, 1e400, odd order and spaces":
      '{"id":9007199254740993,"v":1.0,  "x":1e400 ,"b":1,"a":2}',
    "case 4: emoji, U+2028, composed and decomposed, escapes":
      '{"e":"🎰\u2028","c":"\u00e9","d":"e\u0301","s":"\\u003c\\/"}',
    "a byte order mark and line ends inside a string": '{\r\n"bom":"\ufeff","crlf":"a\\r\\n"\t}',
  };
  test.each(Object.entries(texts))(
    "%s: identical at the receiver, and the signature verifies",
    async (_, text) => {
      const path = `/bytes-${Buffer.from(text).length}`;
      const endpoint = await createEndpoint(db.pool, { url: receiver.url(path) });
      await startWorker(db.url);
      const id = await publish(db.pool, { affiliate: endpoint.affiliateKey, data: text });
      const [request] = (await receiver.waitFor(path, 1)) as [ReceivedRequest];
      const marker = Buffer.from('"data":');
      const at = request.body.indexOf(marker) + marker.length;
      expect(request.body.subarray(at, -1).equals(Buffer.from(text))).toBe(true);
      expect(headersOf(request)["content-length"]).toBe(String(request.body.length));
      expect(headersOf(request)["webhook-id"]).toBe(id);
      expect(verify(request, endpoint.secret)).toHaveProperty("id", id);
    },
  );

  test("through the SQL function, whose data is json and never jsonb", async () => {
    const text = '{"id":9007199254740993,"v":1.0,  "x":1e400 ,"b":1,"a":2,"a":3}';
    const endpoint = await createEndpoint(db.pool, { url: receiver.url("/sql-bytes") });
    await startWorker(db.url);
    await db.pool.query("select posthorn.publish(type => 'ftd', affiliate => $1, data => $2)", [
      endpoint.affiliateKey,
      text,
    ]);
    const [request] = (await receiver.waitFor("/sql-bytes", 1)) as [ReceivedRequest];
    expect(request.body.toString().endsWith(`"data":${text}}`)).toBe(true);
  });
});

describe("case 5: what the SQL function refuses, naming the fault", () => {
  const bad: [string, string, RegExp][] = [
    ["an id with a dot", "type => 'ftd', affiliate => 'case-5', data => '{}', id => 'a.b'", /id must be/],
    [
      "an id with a newline",
      "type => 'ftd', affiliate => 'case-5', data => '{}', id => E'a\\n'",
      /id must be/,
    ],
    [
      "data that is no object",
      "type => 'ftd', affiliate => 'case-5', data => '[1]'",
      /data must be a JSON object/,
    ],
    ["no data", "type => 'ftd', affiliate => 'case-5', data => null", /data must be a JSON object/],
    [
      "an unknown type",
      "type => 'nope', affiliate => 'case-5', data => '{}'",
      /type 'nope' is not in the catalogue/,
    ],
    ["no type", "type => null, affiliate => 'case-5', data => '{}'", /type NULL is not in the catalogue/],
    [
      "an unknown affiliate",
      "type => 'ftd', affiliate => 'nobody', data => '{}'",
      /affiliate 'nobody' does not exist/,
    ],
    [
      "two megabytes",
      "type => 'ftd', affiliate => 'case-5', data => json_build_object('a', repeat('x', 2097152))",
      /at most 1048576 bytes/,
    ],
    ["a NUL", `type => 'ftd', affiliate => 'case-5', data => '{"a":"\\\\\\u0000"}'`, /the character NUL/],
    [
      "a lone high surrogate",
      `type => 'ftd', affiliate => 'case-5', data => '{"a":"\\ud83d!"}'`,
      /half of a surrogate pair/,
    ],
    [
      "a lone low surrogate",
      `type => 'ftd', affiliate => 'case-5', data => '{"a":"\\uDE00"}'`,
      /half of a surrogate pair/,
    ],
    [
      "an infinite time",
      "type => 'ftd', affiliate => 'case-5', data => '{}', occurred_at => 'infinity'",
      /occurred_at must be finite/,
    ],
    [
      "an empty ordering key",
      "type => 'ftd', affiliate => 'case-5', data => '{}', ordering_key => ''",
      /ordering_key must be 1 to 256 characters/,
    ],
  ];
  beforeAll(() => createAffiliate(db.pool, "case-5"));
  test.each(bad)("%s", async (_, call, message) => {
    await expect(db.pool.query(`select posthorn.publish(${call})`)).rejects.toThrow(message);
  });
  test("64 levels are accepted, and 65 are not", async () => {
    const nested = (depth: number) =>
      `{"a":${"[".repeat(depth - 1)}"]\\"}"${"]".repeat(depth - 1)},"b":[{}]}`;
    const call = (depth: number) =>
      db.pool.query("select posthorn.publish(type => 'ftd', affiliate => 'case-5', data => $1)", [
        nested(depth),
      ]);
    await call(64);
    await expect(call(65)).rejects.toThrow(/data must be at most 64 deep/);
  });
  test("escapes that only look like those are accepted", async () => {
    const data = '{"pair":"\\ud83d\\uDE00","backslash":"\\\\u0000 \\\\ud83d"}';
    await db.pool.query("select posthorn.publish(type => 'ftd', affiliate => 'case-5', data => $1)", [data]);
  });
  test("the same id with other content", async () => {
    const call = (data: string) =>
      db.pool.query(
        "select posthorn.publish(type => 'ftd', affiliate => 'case-5', data => $1, id => 'case-5-id') as id",
        [data],
      );
    expect((await call("{}")).rows).toEqual([{ id: "case-5-id" }]);
    expect((await call("{}")).rows).toEqual([{ id: "case-5-id" }]);
    await expect(call("{ }")).rejects.toThrow(/published with other content/);
  });
});

describe("case 6: an event that matches no endpoint", () => {
  test("is stored, makes no delivery, and leaves the outbox", async () => {
    const endpoint = await createEndpoint(db.pool, { url: receiver.url("/case-6"), eventTypes: ["deposit"] });
    await startWorker(db.url);
    const id = await publish(db.pool, { affiliate: endpoint.affiliateKey, type: "ftd" });
    await eventually(async () => (await db.pool.query("select from posthorn.event_outbox")).rowCount === 0);
    expect((await db.pool.query("select from posthorn.events where id = $1", [id])).rowCount).toBe(1);
    expect((await db.pool.query("select from posthorn.deliveries where event_id = $1", [id])).rowCount).toBe(
      0,
    );
  });
});

test("secrets of endpoints are not stored in the clear", async () => {
  const endpoint = await createEndpoint(db.pool, { url: receiver.url("/x") });
  const { rows } = await db.pool.query(
    "select ciphertext from posthorn.endpoint_secrets where endpoint_id = $1",
    [endpoint.id],
  );
  expect(rows[0].ciphertext.includes(Buffer.from(endpoint.secret.slice(6), "base64"))).toBe(false);
  expect(rows[0].ciphertext.includes(testSecretKey)).toBe(false);
  await waitForState(db.pool, "in_flight", 0);
});
