import fc from "fast-check";
import { expect, test } from "vitest";
import { type Mark, stretches } from "#components/template-editor/stretches.ts";

test("macros and marks are cut out, and a fault goes before a warning", () => {
  const marks: Mark[] = [
    { at: 4, length: 6, look: "warning" },
    { at: 6, length: 2, look: "fault" },
  ];
  expect(stretches("a={b}&c=d&{e}", "url", marks)).toEqual([
    { text: "a=", at: 0, isMacro: false, look: null },
    { text: "{b", at: 2, isMacro: true, look: null },
    { text: "}", at: 4, isMacro: true, look: "warning" },
    { text: "&", at: 5, isMacro: false, look: "warning" },
    { text: "c=", at: 6, isMacro: false, look: "fault" },
    { text: "d&", at: 8, isMacro: false, look: "warning" },
    { text: "{e}", at: 10, isMacro: true, look: null },
  ]);
});

test("in JSON a bare brace is no macro", () => {
  const macros = stretches('{"a":"{b}"}', "json", []).filter(({ isMacro }) => isMacro);
  expect(macros.map(({ text }) => text)).toEqual(["{b}"]);
});

const texts = fc
  .array(fc.constantFrom("{", "}", "a", "b", '"', "&", "{a}", "{b|c}", "\n"))
  .map((parts) => parts.join(""));
const marks = fc.array(
  fc.record({
    at: fc.nat(30),
    length: fc.integer({ min: 1, max: 8 }),
    look: fc.constantFrom("fault" as const, "warning" as const),
  }),
  { maxLength: 6 },
);

test("whatever the text and the marks are: they add up to the text, and each character looks as its marks say", () => {
  fc.assert(
    fc.property(texts, marks, fc.constantFrom("url" as const, "json" as const), (text, given, kind) => {
      const parts = stretches(text, kind, given);
      expect(parts.map((part) => part.text).join("")).toBe(text);
      for (const part of parts) {
        expect(part.text).not.toBe("");
        expect(text.slice(part.at, part.at + part.text.length)).toBe(part.text);
        for (let at = part.at; at < part.at + part.text.length; at += 1) {
          const looks = given
            .filter((mark) => mark.at <= at && at < mark.at + mark.length)
            .map(({ look }) => look);
          expect(part.look).toBe(looks.includes("fault") ? "fault" : (looks[0] ?? null));
        }
      }
    }),
  );
});
