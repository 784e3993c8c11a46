import { describe, expect, it, test } from "vitest";
import { checkData, exampleData, exampleFault, ownMacros, readFields } from "#lib/delivery/catalogue.ts";
import type { FieldKind } from "#lib/vocabulary.ts";

const named = (...names: string[]) => names.map((name) => ({ name }));
const read = (dataText: string, ...names: string[]) =>
  Object.fromEntries(readFields(dataText, named(...names)));

describe("readFields", () => {
  const cases: [string, string, Record<string, string>][] = [
    ["text as it is", '{"a":"x y","b":""}', { a: "x y" }],
    ["escapes", String.raw`{"a":"\u0041\n\"\\","b":"\\"}`, { a: 'A\n"\\', b: "\\" }],
    ["digits", '{"a":10.50,"b":9007199254740993}', { a: "10.50", b: "9007199254740993" }],
    ["exponents and signs", '{"a":-0.0e-0,"b":1E400}', { a: "-0.0e-0", b: "1E400" }],
    ["true and false", '{"a":true,"b":false}', { a: "true", b: "false" }],
    ["null", '{"a":null}', {}],
    ["containers", '{"a":{"a":1},"b":["b"]}', {}],
    ["the same name deeper inside", '{"c":{"a":1,"b":"}"},"a":2,"d":[{"b":3}]}', { a: "2" }],
    ["the last of names given twice", '{"a":1,"b":"x","a":"2"}', { a: "2", b: "x" }],
    ["names written with escapes", String.raw`{"\u0061":1}`, { a: "1" }],
    ["white space everywhere", ' {\n"a"\t:\r1 , "b" : "x" }\n', { a: "1", b: "x" }],
    [
      "punctuation in text",
      String.raw`{"x":"\\","y":"\"},{[","a":1,"z":["]","\\\""],"b":2}`,
      { a: "1", b: "2" },
    ],
    ["nothing", "{}", {}],
    ["nothing but space", "{ }", {}],
  ];
  it.each(cases)("%s", (_, dataText, expected) => {
    expect(read(dataText, "a", "b")).toEqual(expected);
  });

  test("only fields of the catalogue, in its order, whatever they are called", () => {
    expect([...readFields('{"b":1,"constructor":2,"c":3}', named("constructor", "b", "valueOf"))]).toEqual([
      ["constructor", "2"],
      ["b", "1"],
    ]);
    expect(read('{"__proto__":1}', "constructor", "toString")).toEqual({});
  });
});

const sound: [FieldKind, string[]][] = [
  ["string", ['"x"', '"1"', '"é🎰"', String.raw`"\""`]],
  ["integer", ["0", "-7", "9007199254740993", '"0"', '"-12"', '"007"', '"9007199254740993"']],
  ["decimal", ["0", "10.50", "-1.5e-3", "1E400", '"12.50"', '"-0.1"', '"7"', '"007.10"']],
  ["boolean", ["true", "false"]],
  [
    "timestamp",
    [
      '"2026-01-31T12:00:00Z"',
      '"2026-01-31T12:00:00.123456+02:00"',
      '"2026-01-31T12:00-05:30"',
      '"2024-02-29T23:59:59Z"',
      '"2000-02-29T00:00:00Z"',
    ],
  ],
];
const wrong: [FieldKind, string[]][] = [
  ["string", ["1", "true", "{}", "[]", '["x"]']],
  ["integer", ["1.0", "1e3", "-0.5", '"1.0"', '"1e3"', '" 1"', '"+1"', '"x"', "true", "{}", "[1]"]],
  ["decimal", ['"1e3"', '".5"', '"5."', '"1,5"', '"+1"', '"1.5 "', '"0x1"', "true", "false", "{}", "[]"]],
  ["boolean", ['"true"', "0", "1", '"x"', "{}"]],
  [
    "timestamp",
    [
      '"2026-01-31"',
      '"2026-01-31T12:00:00"',
      '"2026-01-31 12:00:00Z"',
      '"2026-02-29T12:00:00Z"',
      '"1900-02-29T12:00:00Z"',
      '"2026-04-31T12:00:00Z"',
      '"2026-13-01T12:00:00Z"',
      '"2026-00-01T12:00:00Z"',
      '"2026-01-00T12:00:00Z"',
      '"2026-01-01T24:00:00Z"',
      '"2026-01-01T12:60:00Z"',
      '"2026-01-01T12:00:60Z"',
      '"2026-01-01T12:00:00+24:00"',
      '"2026-01-01T12:00:00z"',
      '"x2026-01-01T12:00:00Z"',
      '"2026-01-01T12:00:00Zx"',
      "1767225600",
      "{}",
    ],
  ],
];
const pairs = (list: [FieldKind, string[]][]) =>
  list.flatMap(([kind, values]) => values.map((v) => [kind, v] as const));

describe("checkData", () => {
  it.each(pairs(sound))("%s may be %s", (kind, value) => {
    expect(checkData(`{"a":${value}}`, [{ name: "a", kind, required: true }])).toEqual([]);
  });

  const messages = {
    string: "must be text",
    integer: "must be a whole number, as a number or as text, without fraction or exponent",
    decimal: 'must be a decimal number, as a number or as text such as "12.50"',
    boolean: "must be true or false",
    timestamp: "must be an ISO 8601 time with a zone, such as 2026-01-31T12:00:00Z",
  } satisfies Record<FieldKind, string>;
  it.each(pairs(wrong))("%s may not be %s", (kind, value) => {
    expect(checkData(`{"a":${value}}`, [{ name: "a", kind, required: false }])).toEqual([
      { field: "a", message: messages[kind] },
    ]);
  });

  it.each(["{}", '{"a":null}', '{"a":""}', '{"b":"x"}', '{"b":{"a":"x"}}'])(
    "%s lacks what is required",
    (dataText) => {
      for (const { kind } of sound.map(([kind]) => ({ kind }))) {
        expect(checkData(dataText, [{ name: "a", kind, required: true }])).toEqual([
          { field: "a", message: "is required by its event type" },
        ]);
        expect(checkData(dataText, [{ name: "a", kind, required: false }])).toEqual([]);
      }
    },
  );

  test("names every fault, and lets unknown fields pass", () => {
    const fields = [
      { name: "click_id", kind: "string", required: true },
      { name: "payout", kind: "decimal", required: false },
      { name: "constructor", kind: "string", required: true },
    ] as const;
    expect(checkData('{"payout":"a lot","other":[1]}', fields).map(({ field }) => field)).toEqual([
      "click_id",
      "payout",
      "constructor",
    ]);
  });
});

describe("examples", () => {
  test("make data of their kinds, money as text", () => {
    const fields = [
      { name: "click_id", kind: "string", example: 'a"b' },
      { name: "payout", kind: "decimal", example: "12.50" },
      { name: "count", kind: "integer", example: "9007199254740993" },
      { name: "code", kind: "integer", example: "007" },
      { name: "first", kind: "boolean", example: "true" },
      { name: "at", kind: "timestamp", example: "2026-01-31T12:00:00Z" },
      { name: "word", kind: "string", example: "true" },
      { name: "number", kind: "string", example: "12" },
      { name: "whole", kind: "decimal", example: "12" },
    ] as const;
    expect(exampleData(fields)).toBe(
      '{\n  "click_id": "a\\"b",\n  "payout": "12.50",\n  "count": 9007199254740993,\n  "code": "007",\n' +
        '  "first": true,\n  "at": "2026-01-31T12:00:00Z",\n  "word": "true",\n  "number": "12",\n  "whole": "12"\n}',
    );
    expect(exampleData([])).toBe("{}");
  });

  test("no field may be called what templates call the delivery's own facts", () => {
    expect(ownMacros.join(" ")).toBe(
      "event_id event_type delivery_id affiliate_id timestamp timestamp_ms timestamp_iso secret",
    );
  });

  test.each([
    ["string", "anything", true],
    ["integer", "12", true],
    ["integer", "1.5", false],
    ["decimal", "1.5", true],
    ["decimal", "1e3", false],
    ["boolean", "false", true],
    ["boolean", "no", false],
    ["timestamp", "2026-01-31T12:00:00Z", true],
    ["timestamp", "yesterday", false],
  ] as const)("%s: %s", (kind, example, isSound) => {
    expect(exampleFault(example, kind)).toBe(isSound ? null : messageOf(kind));
  });
  const messageOf = (kind: FieldKind) =>
    checkData('{"a":[]}', [{ name: "a", kind, required: false }])[0]?.message ?? "";
});
