import { describe, expect, test } from "vitest";
import { Problem } from "#lib/errors.ts";
import { parsePublish } from "#lib/events/parse-publish.ts";
import { maxEventBytes } from "#lib/events/schema.ts";

const sound = { type: "ftd", affiliate: "acme", data: {} };

function parse(body: unknown) {
  return parsePublish(
    Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  );
}

function only(body: unknown): Problem {
  const [item, ...more] = parse(body).items;
  expect(more).toEqual([]);
  if (!(item instanceof Problem)) throw new Error("was accepted");
  return item;
}

function thrown(body: unknown): Problem {
  try {
    parse(body);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error("was accepted");
}

const nested = (levels: number) => `${`{"a":`.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
const withData = (text: string) => `{"type":"ftd","affiliate":"acme","data":${text}}`;

describe("one event", () => {
  test.each([
    ["no type", { affiliate: "acme", data: {} }, "type"],
    ["a type that is a number", { ...sound, type: 1 }, "type"],
    ["a type in upper case", { ...sound, type: "FTD" }, "type"],
    ["a type that is an object", { ...sound, type: { a: 1 } }, "type"],
    ["an affiliate with a space", { ...sound, affiliate: "a b" }, "affiliate"],
    ["an id with a dot", { ...sound, id: "a.b" }, "id"],
    ["an id with a newline", { ...sound, id: "ab\n" }, "id"],
    ["an id of 129", { ...sound, id: "a".repeat(129) }, "id"],
    ["an empty id", { ...sound, id: "" }, "id"],
    ["an id that is null", { ...sound, id: null }, "id"],
    ["a time without a zone", { ...sound, occurred_at: "2026-01-01T00:00:00" }, "occurred_at"],
    ["a time that is no date", { ...sound, occurred_at: "2026-02-30T00:00:00Z" }, "occurred_at"],
    ["a time in the year 0", { ...sound, occurred_at: "0000-01-01T00:00:00Z" }, "occurred_at"],
    [
      "a time that its zone moves into the year 10000",
      { ...sound, occurred_at: "9999-12-31T23:59:59-01:00" },
      "occurred_at",
    ],
    ["a time in seconds", { ...sound, occurred_at: 1_700_000_000 }, "occurred_at"],
    ["an empty ordering key", { ...sound, ordering_key: "" }, "ordering_key"],
    ["an ordering key with NUL", { ...sound, ordering_key: "a\0b" }, "ordering_key"],
    [
      "half a surrogate pair in the ordering key",
      `{"type":"ftd","affiliate":"a","ordering_key":"\\ud800","data":{}}`,
      "ordering_key",
    ],
    ["a field that nobody knows", { ...sound, datas: {} }, "datas"],
    ["a field called __proto__", `{"type":"ftd","affiliate":"a","__proto__":{},"data":{}}`, "__proto__"],
    ["no data", { type: "ftd", affiliate: "acme" }, "data"],
    ["data that is an array", { ...sound, data: [] }, "data"],
    ["data that is text", { ...sound, data: "{}" }, "data"],
    ["data that is null", { ...sound, data: null }, "data"],
    ["data 65 deep", withData(nested(65)), "data"],
    ["data 10,000 deep", withData(nested(10_000)), "data"],
    ["NUL in a value", withData('{"a":"x\\u0000"}'), "data"],
    ["NUL in a name", withData('{"a":{"\\u0000":1}}'), "data"],
    ["half a surrogate pair", withData('{"a":"\\ud83d"}'), "data"],
    ["a pair the wrong way round", withData('{"a":"\\ude00\\ud83d"}'), "data"],
    ["a field given twice", `{"type":"ftd","type":"ftd","affiliate":"a","data":{}}`, "type"],
    ["a field given twice, once escaped", `{"type":"ftd","affiliate":"a","data":{},"d\\u0061ta":{}}`, "data"],
    ["text instead of an event", '"ftd"', "body"],
    ["null instead of an event", "null", "body"],
    [
      "more fields than an event can have",
      Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`f${i}`, i])),
      "body",
    ],
  ])("%s is refused by its name", (_, body, field) => {
    const problem = only(body);
    expect(problem.status).toBe(422);
    expect(problem.errors.map((error) => error.field)).toContain(field);
  });

  test("all faults are told at once", () => {
    const problem = only({ id: "a.b", type: 1, data: [] });
    expect(problem.errors.map((error) => error.field).sort()).toEqual(["affiliate", "data", "id", "type"]);
  });

  test("64 levels, an escaped pair and any number are data", () => {
    for (const data of [nested(64), '{"a":"\\uD83D\\ude00"}', '{"n":1e400,"big":9007199254740993,"v":1.0}']) {
      const [item] = parse(withData(data)).items;
      expect(item).toMatchObject({ data: Buffer.from(data) });
    }
  });

  test("a time keeps its instant, in UTC and milliseconds", () => {
    const [item] = parse({ ...sound, occurred_at: "2026-01-01T00:30:00.123456+23:59" }).items;
    expect(item).toMatchObject({ occurredAt: "2025-12-31T00:31:00.123Z" });
  });

  test("an event of 1 MiB is taken, one byte more is too large", () => {
    const room = maxEventBytes - withData('{"a":""}').length;
    expect(parse(withData(`{"a":"${"x".repeat(room)}"}`)).items[0]).not.toBeInstanceOf(Problem);
    expect(only(withData(`{"a":"${"x".repeat(room + 1)}"}`))).toMatchObject({
      code: "too_large",
      status: 413,
    });
  });
});

describe("the whole request", () => {
  test.each([
    ["nothing", ""],
    ["white space", " \n"],
    ["half an event", '{"type":'],
    ["two events without an array", `${withData("{}")}${withData("{}")}`],
    ["a trailing comma", `[${withData("{}")},]`],
    ["a byte order mark", `\ufeff${withData("{}")}`],
    ["a number that is none", withData('{"a":01}')],
    ["a raw control character", withData('{"a":"\t"}')],
  ])("%s is malformed JSON", (_, body) => {
    expect(thrown(body)).toMatchObject({ code: "malformed_json", status: 400 });
  });

  test.each([
    ["a lone continuation byte", [0x80]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["a surrogate as bytes", [0xed, 0xa0, 0x80]],
    ["a sequence that ends early", [0xf0, 0x9f, 0x98]],
  ])("%s is not UTF-8", (_, bytes) => {
    const [before, after] = withData('{"a":"|"}').split("|") as [string, string];
    const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    expect(thrown(body)).toMatchObject({ code: "invalid_utf8", status: 400 });
  });

  test("an array has 1 to 1,000 events", () => {
    expect(parse(Array(1_000).fill(sound)).items).toHaveLength(1_000);
    expect(thrown("[]")).toMatchObject({ status: 422, errors: [{ field: "body" }] });
    expect(thrown(Array(1_001).fill(sound))).toMatchObject({ status: 422, errors: [{ field: "body" }] });
  });

  test("in an array each item stands for itself", () => {
    const huge = withData(`{"a":"${"x".repeat(maxEventBytes)}"}`);
    const { items } = parse(
      `[${withData("{}")}, 7, ${huge}, ${withData(nested(10_000))}, {"id":"a.b"}, ${withData('{"b":2}')}]`,
    );
    expect(items.map((item) => (item instanceof Problem ? item.status : "sound"))).toEqual([
      "sound",
      422,
      413,
      422,
      422,
      "sound",
    ]);
  });
});
