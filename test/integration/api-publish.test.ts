import { beforeAll, describe, expect, test } from "vitest";
import { maxEventBytes } from "#lib/events/schema.ts";
import { type Answer, setUpApi } from "#test/helpers/api.ts";
import * as affiliates from "../../app/api/v1/affiliates/route.ts";
import * as event from "../../app/api/v1/events/[id]/route.ts";
import * as events from "../../app/api/v1/events/route.ts";

const api = setUpApi();
const sound = { type: "ftd", affiliate: "acme", data: { a: 1 } };
const publish = (body: unknown): Promise<Answer> => api.call(events.POST, { body });

beforeAll(async () => {
  await api.call(affiliates.POST, { body: { key: "acme", name: "Acme" } });
  await api.call(affiliates.POST, { body: { key: "other", name: "Other" } });
});

/** What is kept under an id, in every table that publishing writes. */
async function kept(id: string) {
  const { rows } = await api.database.pool.query(
    `select (select count(*)::int from posthorn.event_keys where id = $1) as keys,
       (select count(*)::int from posthorn.events where id = $1) as events,
       (select count(*)::int from posthorn.event_outbox where event_id = $1) as queued,
       (select array_agg(data) from posthorn.event_bodies where event_id = $1) as bodies`,
    [id],
  );
  return rows[0];
}

describe("publishing one event", () => {
  test("answers 202 with an id of ours, and keeps it", async () => {
    const answer = await publish(sound);
    expect(answer).toMatchObject({
      status: 202,
      body: { id: expect.stringMatching(/^[0-9a-f-]{36}$/), duplicate: false },
    });
    const { id } = answer.body;
    expect(await kept(id)).toEqual({ keys: 1, events: 1, queued: 1, bodies: [Buffer.from('{"a":1}')] });
    const got = await api.call(event.GET, { params: { id } });
    expect(got).toMatchObject({
      status: 200,
      body: {
        id,
        type: "ftd",
        affiliate: { key: "acme" },
        ordering_key: null,
        data_bytes: 7,
        data_text: '{"a":1}',
      },
    });
    expect(got.body.occurred_at).toBe(got.body.received_at);
  });

  test("keeps what the envelope says", async () => {
    const envelope = { id: "order-7_A", occurred_at: "2026-03-01T12:00:00.5+02:00", ordering_key: "é 7" };
    await publish({ ...sound, ...envelope });
    expect(await api.call(event.GET, { params: { id: envelope.id } })).toMatchObject({
      body: { id: "order-7_A", occurred_at: "2026-03-01T10:00:00.500Z", ordering_key: "é 7" },
    });
  });

  test.each([
    ["an unknown type", { ...sound, type: "nothing.such" }, "type"],
    ["an unknown affiliate", { ...sound, affiliate: "nobody" }, "affiliate"],
    ["an id with a dot", { ...sound, id: "a.b" }, "id"],
  ])("%s is a 422 that names it, and nothing is kept", async (_, body, field) => {
    expect(await publish(body)).toMatchObject({ status: 422, body: { errors: [{ field }] } });
  });

  test("without a key nothing is read", async () => {
    const answer = await api.call(events.POST, {
      body: "not json",
      headers: { authorization: "Bearer nonsense" },
    });
    expect(answer).toMatchObject({ status: 401 });
  });
});

describe("case 2: twenty concurrent publishes with one id", () => {
  test("make one event, and every caller gets its id", async () => {
    const body = { ...sound, id: "case-2" };
    const answers = await Promise.all(Array.from({ length: 20 }, () => publish(body)));
    expect(answers.every((answer) => answer.status === 202 && answer.body.id === "case-2")).toBe(true);
    expect(answers.filter((answer) => !answer.body.duplicate)).toHaveLength(1);
    expect(await kept("case-2")).toMatchObject({ keys: 1, events: 1, queued: 1 });
  });

  test("the same id with other content is a conflict", async () => {
    const first = { ...sound, id: "case-2b", occurred_at: "2026-01-01T00:00:00Z", ordering_key: "k" };
    expect(await publish(first)).toMatchObject({ body: { duplicate: false } });
    expect(await publish({ ...first, occurred_at: "2026-01-01T01:00:00+01:00" })).toMatchObject({
      body: { duplicate: true },
    });
    for (const other of [
      { type: "deposit" },
      { affiliate: "other" },
      { ordering_key: "l" },
      { ordering_key: undefined },
      { occurred_at: "2026-01-01T00:00:00.001Z" },
      { occurred_at: undefined },
      { data: { a: 2 } },
    ]) {
      expect(await publish({ ...first, ...other }), JSON.stringify(other)).toMatchObject({
        status: 409,
        body: { code: "id_reused", errors: [{ field: "id" }] },
      });
    }
    const spaced = JSON.stringify(first).replace('{"a":1}', '{"a": 1}');
    expect(await publish(spaced), "other white space").toMatchObject({ status: 409 });
    expect(await kept("case-2b")).toMatchObject({ keys: 1, events: 1, queued: 1 });
  });

  test("concurrent arrays that share ids in opposite order do not block each other", async () => {
    const ids = Array.from({ length: 200 }, (_, place) => `cross-${place}`);
    const items = ids.map((id) => ({ ...sound, id }));
    const answers = await Promise.all(
      [items, [...items].reverse(), items, [...items].reverse()].map(publish),
    );
    expect(answers.map((answer) => answer.status)).toEqual([202, 202, 202, 202]);
    const fresh = answers.flatMap((answer) =>
      answer.body.results.filter((result: { duplicate: boolean }) => !result.duplicate),
    );
    expect(fresh).toHaveLength(200);
  });
});

describe("cases 3 and 4: data keeps its bytes", () => {
  test.each([
    [
      "case 3: big integers, 1.0, 1e400 and key order",
      ' {"id":9007199254740993, "v":1.0,"x":1e400 ,"b":1,"a":2}\n',
    ],
    [
      "case 4: emoji, U+2028, composed and decomposed, escapes",
      '{"e":"😀\u2028é e\u0301","s":"\\u003c\\/\\ud83d\\ude00"}',
    ],
    ["case 3: names given twice, and empty ones", '{"":{},"a":1,"a":[ ],\t"a":-0.0e-0}'],
  ])("%s", async (_, data) => {
    const body = `\r\n{ "affiliate" : "acme","data":${data} ,"type":"ftd"}`;
    const { status, body: accepted } = await publish(body);
    expect(status).toBe(202);
    const exact = Buffer.from(data.trim());
    expect((await kept(accepted.id)).bodies).toEqual([exact]);
    const got = await api.call(event.GET, { params: { id: accepted.id } });
    expect(got.body).toMatchObject({ data_text: data.trim(), data_bytes: exact.length });
  });
});

describe("case 5: what is refused names the fault", () => {
  const wrap = (data: string | Buffer) =>
    Buffer.concat([
      Buffer.from('{"type":"ftd","affiliate":"acme","data":'),
      Buffer.from(data as string),
      Buffer.from("}"),
    ]);
  const deep = `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`;

  test.each([
    ["half a surrogate pair", wrap('{"a":"\\ud800"}'), 422, "data"],
    ["NUL", wrap('{"a":"\\u0000"}'), 422, "data"],
    ["invalid UTF-8", wrap(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), 400, null],
    ["depth 10,000", wrap(deep), 422, "data"],
    ["an event of 2 MiB", wrap(`{"a":"${"x".repeat(2 * 1_048_576)}"}`), 413, null],
    ["an array of 1,001", Array(1_001).fill(sound), 422, "body"],
    ["an empty array", [], 422, "body"],
    ["wrong types", { ...sound, type: 7, data: "x" }, 422, "type"],
    ["an id with a newline", { ...sound, id: "a\n" }, 422, "id"],
    ["malformed JSON", '{"type":"ftd",}', 400, null],
  ])("%s", async (_, body, status, field) => {
    const answer = await publish(body);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(answer.body.detail).not.toBe("");
    if (field) expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
  });

  test("a request of 17 MiB, told its length or not", async () => {
    const chunk = new Uint8Array(1_048_576).fill(0x20);
    const stream = () => {
      let sent = 0;
      return new ReadableStream({
        pull: (controller) => (sent++ < 17 ? controller.enqueue(chunk) : controller.close()),
      });
    };
    const tooLarge = { status: 413, body: { code: "too_large" } };
    expect(await publish(stream())).toMatchObject(tooLarge);
    const headers = { "content-length": String(17 * chunk.length) };
    expect(await api.call(events.POST, { body: stream(), headers })).toMatchObject(tooLarge);
  });

  test("a request of just under 16 MiB is taken", async () => {
    const text = "x".repeat(maxEventBytes - 100);
    const items = Array.from({ length: 15 }, () => ({ ...sound, data: { a: text } }));
    const answer = await publish(items);
    expect(answer.status).toBe(202);
    expect(answer.body.results).toHaveLength(15);
  });

  test("in an array the good items are accepted and the bad ones are answered one by one", async () => {
    const items = [
      JSON.stringify({ ...sound, id: "good-1" }),
      JSON.stringify({ ...sound, id: "bad.id" }),
      JSON.stringify({ ...sound, type: "nothing.such" }),
      wrap(deep).toString(),
      wrap(`{"a":"${"x".repeat(maxEventBytes)}"}`).toString(),
      "null",
      JSON.stringify({ ...sound, affiliate: "nobody" }),
      JSON.stringify({ ...sound, id: "good-1" }),
      JSON.stringify({ ...sound, id: "good-1", data: {} }),
      JSON.stringify({ ...sound, id: "good-2" }),
    ];
    const { status, body } = await publish(`[${items.join(",\n")}]`);
    expect(status).toBe(202);
    expect(body.results).toMatchObject([
      { id: "good-1", duplicate: false },
      { error: { status: 422, errors: [{ field: "id" }] } },
      { error: { status: 422, errors: [{ field: "type" }] } },
      { error: { status: 422, errors: [{ field: "data" }] } },
      { error: { status: 413, code: "too_large" } },
      { error: { status: 422, errors: [{ field: "body" }] } },
      { error: { status: 422, errors: [{ field: "affiliate" }] } },
      { id: "good-1", duplicate: true },
      { error: { status: 409, code: "id_reused" } },
      { id: "good-2", duplicate: false },
    ]);
    expect(body.results).toHaveLength(items.length);
    expect(await kept("good-1")).toMatchObject({ events: 1, queued: 1 });
    expect(await kept("good-2")).toMatchObject({ events: 1, queued: 1 });
  });

  test("an array of nothing but bad items is answered all the same", async () => {
    expect(await publish([1, 2])).toMatchObject({
      status: 202,
      body: { results: [{ error: {} }, { error: {} }] },
    });
  });
});

describe("listing events", () => {
  test("pages from the latest on, whole or for one affiliate", async () => {
    for (let place = 0; place < 5; place += 1)
      await publish({ ...sound, affiliate: "other", id: `list-${place}` });
    const list = async (query: Record<string, string>) => (await api.call(events.GET, { query })).body;
    const first = await list({ affiliate: "other", limit: "2" });
    const second = await list({ affiliate: "other", limit: "2", cursor: first.next_cursor });
    expect([...first.data, ...second.data].map((row: { id: string }) => row.id)).toEqual([
      "list-4",
      "list-3",
      "list-2",
      "list-1",
    ]);
    const back = await list({ affiliate: "other", limit: "2", cursor: second.previous_cursor });
    expect(back.data).toEqual(first.data);
    expect((await list({ limit: "1" })).data[0].id).toBe("list-4");
    expect((await list({ affiliate: "nobody" })).data).toEqual([]);
    for (const time of ["yesterday", "2026-02-30T00:00:00Z", "0000-01-01T00:00:00Z", "infinity"]) {
      const cursor = Buffer.from(JSON.stringify(["n", time, "list-1"])).toString("base64url");
      expect(await api.call(events.GET, { query: { cursor } }), time).toMatchObject({
        status: 422,
        body: { errors: [{ field: "cursor" }] },
      });
    }
  });
});
