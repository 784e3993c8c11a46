import fc from "fast-check";
import { expect, test } from "vitest";
import { compileFunctions } from "#lib/delivery/template/functions.ts";
import { maskingBudget } from "#lib/redaction/budget.ts";
import { decodedViews } from "#lib/redaction/decoded-views.ts";
import { createMasker, fullMask, maskSought } from "#lib/redaction/mask.ts";
import { soughtOf } from "#lib/redaction/sought.ts";

const mask = (text: string, values: readonly string[], left = maskingBudget) =>
  maskSought(text, { sought: soughtOf(values), budget: { left } });
const readings = (text: string) => [...decodedViews(text, { left: Number.POSITIVE_INFINITY })];
/** As a template would. */
const apply = (value: string, chain: readonly string[]) =>
  compileFunctions(chain.map((name) => ({ name, argument: null }))).reduce<string>(
    (text, call) => call(text) ?? "",
    value,
  );

const url = (text: string) => encodeURIComponent(text);
const form = (text: string) => new URLSearchParams([["", text]]).toString().slice(1);
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const asciiJson = (text: string) =>
  json(text).replace(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
const allPercent = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
const encodings: ((text: string) => string)[] = [
  (text) => text,
  url,
  form,
  json,
  asciiJson,
  allPercent,
  (text) => url(url(text)),
  (text) => json(url(text)),
  (text) => url(json(text)),
];

const cases = [[], ["lower"], ["upper"], ["lower", "upper"], ["upper", "lower"]];
const once = ["sha256", "md5"].flatMap((hash) => cases.map((before) => [...before, hash]));
const twice = once.flatMap((before) => [
  [...before, "md5"],
  [...before, "upper", "sha256"],
]);
const chains = [...cases, ...once, ...once.map((before) => [...before, "upper"]), ...twice];

const value = fc
  .string({ unit: "binary", minLength: 4, maxLength: 24 })
  .filter((text) => text.length >= 4 && text.isWellFormed() && !text.includes("•"));
const simple = fc.stringMatching(/^[ab%+\\"u05]{4,12}$/);
const piece = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom("&c=", "%", "\\", '"', "+", "%2", "\\u00", "a", "b"),
);

test("no value of four or more characters, and nothing that functions make of one, is left in a masked text", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(value, simple), { minLength: 1, maxLength: 4 }),
      fc.array(
        fc.record({
          before: piece,
          which: fc.nat(),
          chain: fc.constantFrom(...chains),
          encode: fc.constantFrom(...encodings),
        }),
        { minLength: 1, maxLength: 8 },
      ),
      fc.option(fc.integer({ min: 0, max: 20_000 }), { nil: maskingBudget, freq: 2 }),
      (values, places, budget) => {
        const made = places.map(({ which, chain }) => apply(values[which % values.length] ?? "", chain));
        const text = places.map(({ before, encode }, i) => before + encode(made[i] ?? "")).join("");
        const masked = mask(text, values, budget);
        for (const view of readings(masked)) {
          for (const hidden of [...values, ...made]) expect(view.text).not.toContain(hidden);
        }
      },
    ),
    { numRuns: 3_000 },
  );
});

test("with less than it costs, a text is masked whole; with enough, as with plenty", () => {
  fc.assert(
    fc.property(fc.array(piece), value, fc.integer({ min: 0, max: 5_000 }), (pieces, hidden, left) => {
      const text = `${pieces.join("")}${url(hidden)}`;
      expect([fullMask, mask(text, [hidden])]).toContain(mask(text, [hidden], left));
    }),
  );
});

test("a text without the values is left as it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), value, (text, hidden) => {
      const { texts } = soughtOf([hidden]);
      fc.pre(readings(text).every((view) => texts.every((sought) => !view.text.includes(sought))));
      expect(mask(text, [hidden])).toBe(text);
    }),
  );
});

test("masked data are still JSON, with everything but what is sensitive", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom("click_id", "payout", "GOAL"), fc.jsonValue({ maxDepth: 2 })),
      fc.constantFrom(undefined, 1),
      (data, indent) => {
        const dataText = JSON.stringify(data, null, indent);
        const fields = [
          { name: "click_id", sensitive: true },
          { name: "GOAL", sensitive: false },
        ];
        const masked = JSON.parse(createMasker({ fields, dataText })?.data(dataText) ?? "");
        expect(Object.keys(masked)).toHaveLength(Object.keys(data).length);
        if (data.click_id) expect(masked.click_id).toMatch(/^••••/);
      },
    ),
  );
});
