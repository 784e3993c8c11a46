import fc from "fast-check";
import { expect, test } from "vitest";
import { checkData, exampleData, readFields } from "#lib/delivery/catalogue.ts";
import { type EventField, eventTypeCreate } from "#lib/event-types/schema.ts";
import { fieldKinds } from "#lib/vocabulary.ts";

const digits = fc.stringMatching(/^-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?$/);
const space = fc.stringMatching(/^[ \n\r\t]{0,3}$/);
const text = fc.string({
  unit: fc.constantFrom("a", '"', "\\", "{", "}", "[", "]", ",", ":", " ", "é", "🎰", "\n"),
});
const names = fc.constantFrom("a", "b", "c", "constructor", "tostring");

/** Written by hand, so that white space, escapes and repeated names are as wild as JSON allows. */
const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string; member: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: "json" },
    fc.constantFrom("null", "true", "false", '""'),
    digits,
    text.map((value) => JSON.stringify(value)),
    fc
      .tuple(space, fc.array(tie("value"), { maxLength: 4, depthIdentifier: "json" }))
      .map(([s, v]) => `[${s}${v.join(`${s},${s}`)}${s}]`),
    fc
      .tuple(space, fc.array(tie("member"), { maxLength: 4, depthIdentifier: "json" }))
      .map(([s, v]) => `{${s}${v.join(`${s},${s}`)}${s}}`),
  ),
  member: fc
    .tuple(names, space, tie("value"))
    .map(([name, s, value]) => `${JSON.stringify(name)}${s}:${s}${value}`),
})).member;
const dataTexts = fc
  .tuple(space, fc.array(jsonText, { maxLength: 6 }))
  .map(([s, members]) => `${s}{${s}${members.join(`,${s}`)}${s}}${s}`);

const fieldNames = ["a", "b", "c", "constructor", "tostring"];

test("reads what JSON.parse reads, and of numbers the very digits", () => {
  fc.assert(
    fc.property(dataTexts, (dataText) => {
      const sources = new Map<unknown, Map<string, string>>();
      const root = JSON.parse(dataText, function (
        this: object,
        key: string,
        value: unknown,
        context: { source: string },
      ) {
        if (typeof value === "number") {
          sources.set(this, (sources.get(this) ?? new Map()).set(key, context.source));
        }
        return value;
      } as Parameters<typeof JSON.parse>[1]);
      const expected = fieldNames.flatMap((name) => {
        const value = Object.hasOwn(root, name) ? root[name] : undefined;
        if (value === undefined || value === null || value === "" || typeof value === "object") return [];
        return [[name, typeof value === "number" ? sources.get(root)?.get(name) : String(value)]];
      });
      expect([
        ...readFields(
          dataText,
          fieldNames.map((name) => ({ name })),
        ),
      ]).toEqual(expected);
    }),
    { numRuns: 2_000 },
  );
});

test("any number keeps its digits", () => {
  fc.assert(
    fc.property(digits, space, (number, s) => {
      expect(readFields(`{"a"${s}:${s}${number}${s}}`, [{ name: "a" }]).get("a")).toBe(number);
    }),
  );
});

test("checking never throws, and finds fault with nothing but fields of the catalogue", () => {
  const fields = fc.array(
    fc.record({ name: names, kind: fc.constantFrom(...fieldKinds), required: fc.boolean() }),
  );
  fc.assert(
    fc.property(dataTexts, fields, (dataText, list) => {
      for (const { field, message } of checkData(dataText, list)) {
        expect(list.map(({ name }) => name)).toContain(field);
        expect(message).toMatch(/^(must be|is required)/);
      }
    }),
    { numRuns: 1_000 },
  );
});

test("text that is no JSON ends in some answer, too", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('"', "\\", "{", "}", "[", "]", ",", ":", " ", "a", "1") }),
      (soup) => {
        try {
          readFields(soup, [{ name: "a" }]);
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError);
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

test("the examples of any catalogue that can be saved make data that it allows", () => {
  const examples = {
    string: fc.string({ minLength: 1, maxLength: 20 }),
    integer: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
    decimal: fc.stringMatching(/^-?[0-9]{1,12}(\.[0-9]{1,8})?$/),
    boolean: fc.constantFrom("true", "false"),
    timestamp: fc
      .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
      .map((date) => date.toISOString()),
  };
  const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,5}$/);
  const field: fc.Arbitrary<EventField> = fc.oneof(
    ...fieldKinds.map((kind) =>
      fc.record({
        name,
        description: fc.constant(""),
        kind: fc.constant(kind),
        required: fc.boolean(),
        sensitive: fc.boolean(),
        searchable: kind === "string" ? fc.boolean() : fc.constant(false),
        example: examples[kind],
      }),
    ),
  );
  fc.assert(
    fc.property(fc.uniqueArray(field, { selector: ({ name }) => name, maxLength: 8 }), (fields) => {
      const saved = eventTypeCreate.safeParse({ name: "t", fields });
      fc.pre(saved.success);
      const dataText = exampleData(fields);
      expect(checkData(dataText, fields)).toEqual([]);
      expect([...readFields(dataText, fields)]).toEqual(fields.map(({ name, example }) => [name, example]));
    }),
    { numRuns: 200 },
  );
});
