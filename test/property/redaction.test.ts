import fc from "fast-check";
import { expect, test } from "vitest";
import { decodedViews } from "#lib/redaction/decoded-views.ts";
import { createMasker, maskValues } from "#lib/redaction/mask.ts";

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

const value = fc
  .string({ unit: "binary", minLength: 4, maxLength: 24 })
  .filter((text) => text.length >= 4 && text.isWellFormed() && !text.includes("•"));
const simple = fc.stringMatching(/^[ab%+\\"u05]{4,12}$/);
const piece = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom("&c=", "%", "\\", '"', "+", "%2", "\\u00", "a", "b"),
);

test("no value of four or more characters is left in a masked text, as it is or encoded", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(value, simple), { minLength: 1, maxLength: 4 }),
      fc.array(fc.tuple(piece, fc.nat(), fc.nat(encodings.length - 1)), { minLength: 1, maxLength: 8 }),
      (values, places) => {
        const text = places
          .map(([before, which, how]) => before + encodings[how]?.(values[which % values.length] as string))
          .join("");
        const masked = maskValues(text, values);
        for (const view of decodedViews(masked)) {
          for (const hidden of values) expect(view.text).not.toContain(hidden);
        }
      },
    ),
    { numRuns: 3_000 },
  );
});

test("a text without the values is left as it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), value, (text, hidden) => {
      fc.pre(decodedViews(text).every((view) => !view.text.includes(hidden)));
      expect(maskValues(text, [hidden])).toBe(text);
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
