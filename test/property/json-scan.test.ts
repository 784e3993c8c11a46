import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonCursor, type JsonSpan, MalformedJson, peek, takeValue } from "#lib/events/json-scan.ts";
import { json, space } from "#test/helpers/json-text.ts";

function scanAll(text: string): { span: JsonSpan; bytes: Buffer } {
  const cursor: JsonCursor = { bytes: Buffer.from(text), at: 0 };
  const span = takeValue(cursor);
  if (peek(cursor) !== undefined) throw new MalformedJson(cursor.at);
  return { span, bytes: cursor.bytes };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isScanned(text: string): boolean {
  try {
    scanAll(text);
    return true;
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    return false;
  }
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** Every string of the text, as its parser sees it; the reviver sees names and values alike. */
function stringsOf(text: string): string[] {
  return [...text.matchAll(/"(?:[^"\\]|\\.)*"/gsu)].map(([literal]) => JSON.parse(literal) as string);
}

describe("the JSON scanner", () => {
  test("finds exactly the value's bytes, whatever surrounds them", () => {
    fc.assert(
      fc.property(space, json, space, (before, text, after) => {
        const { span, bytes } = scanAll(`${before}${text}${after}`);
        expect(bytes.toString("utf8", span.start, span.end)).toBe(text);
      }),
    );
  });

  test("measures depth as the parsed value has it", () => {
    fc.assert(
      // Of a name that is given twice the parsed value keeps one only.
      fc.property(
        json.filter((text) => !hasRepeatedNames(text)),
        (text) => {
          expect(scanAll(text).span.depth).toBe(depthOf(JSON.parse(text)));
        },
      ),
    );
  });

  test("sees every NUL and every half of a surrogate pair", () => {
    fc.assert(
      fc.property(json, (text) => {
        const { span } = scanAll(text);
        const strings = stringsOf(text);
        expect(span.hasNul).toBe(strings.some((string) => string.includes("\0")));
        expect(span.hasLoneSurrogate).toBe(strings.some((string) => !string.isWellFormed()));
      }),
    );
  });

  test("accepts and refuses what JSON.parse does, after any small damage", () => {
    const damage = fc.tuple(
      fc.nat(),
      fc.constantFrom(
        "",
        ",",
        ":",
        '"',
        "\\",
        "{",
        "}",
        "[",
        "]",
        "0",
        "-",
        ".",
        "e",
        "+",
        "u",
        "\n",
        "\u0001",
        "/",
        "é",
        "\\u12",
        "tru",
      ),
      fc.nat(2),
    );
    fc.assert(
      fc.property(json, fc.array(damage, { maxLength: 2 }), (text, damages) => {
        let damaged = text;
        for (const [place, insert, remove] of damages) {
          const at = place % (damaged.length + 1);
          damaged = damaged.slice(0, at) + insert + damaged.slice(at + remove);
        }
        // Half a pair cannot be written as bytes, so that both sides must see the same text.
        const readable = Buffer.from(damaged).toString("utf8");
        expect(isScanned(readable)).toBe(isJson(readable));
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([
    "",
    " ",
    "01",
    "+1",
    "1.",
    ".5",
    "1e",
    "-",
    "nul",
    "truex",
    '"\\x"',
    '"\\u00g0"',
    '"a',
    "'a'",
    "[1,]",
    '{"a":1,}',
    "{a:1}",
    "[1 2]",
    '{"a" 1}',
    "\ufeff1",
    "1 2",
    "\u00a01",
    '"\t"',
  ])("refuses %j", (text) => {
    expect(isJson(text)).toBe(false);
    expect(isScanned(text)).toBe(false);
  });

  test("takes millions of brackets without recursion, in linear time", () => {
    const levels = 2_000_000;
    const startedAt = performance.now();
    const { span } = scanAll(`${"[".repeat(levels)}${"]".repeat(levels)}`);
    expect(span.depth).toBe(levels);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });
});

function hasRepeatedNames(text: string): boolean {
  let membersInText = 0;
  const { span, bytes } = scanAll(text);
  for (const [literal] of bytes
    .toString("utf8", span.start, span.end)
    .matchAll(/"(?:[^"\\]|\\.)*"\s*:|"(?:[^"\\]|\\.)*"/gsu)) {
    if (literal.endsWith(":")) membersInText += 1;
  }
  return membersInText !== membersOf(JSON.parse(text));
}

function membersOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return own + Object.values(value).reduce((sum: number, inner) => sum + membersOf(inner), 0);
}
