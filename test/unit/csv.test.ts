import fc from "fast-check";
import { expect, test } from "vitest";
import { csvLine } from "#lib/api/csv.ts";

test.each([
  ["plain text", "plain text"],
  ["", ""],
  ["a,b", '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ["two\nlines", '"two\nlines"'],
  ["=1+1", "'=1+1"],
  ["+49 30", "'+49 30"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "'\t=1"],
  ["\r=1", '"\'\r=1"'],
  ["\n=1", '"\'\n=1"'],
  ["\uff1d1+1", "'\uff1d1+1"],
  ["\uff0b1", "'\uff0b1"],
  ["\uff0d1", "'\uff0d1"],
  ["\uff20SUM(A1)", "'\uff20SUM(A1)"],
  ["a\uff1d1", "a\uff1d1"],
  ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
  ["a=1", "a=1"],
])("%j becomes %j", (cell, line) => {
  expect(csvLine([cell])).toBe(`${line}\r\n`);
});

test("null is an empty cell", () => {
  expect(csvLine([null, "a", null])).toBe(",a,\r\n");
});

/** A reader by the grammar of RFC 4180. */
function readCsv(text: string): string[][] {
  const lines: string[][] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  let line: string[] = [];
  for (let match = cell.exec(text); match !== null; match = cell.exec(text)) {
    line.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
    if (match[3] === ",") continue;
    lines.push(line);
    line = [];
  }
  return lines;
}

const beginning = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const unguarded = (cell: string) =>
  cell.startsWith("'") && beginning.test(cell.slice(1)) ? cell.slice(1) : cell;

test("whatever the cells are, they are read back, and no cell begins a formula", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: fc.constantFrom(...'=+-@\t\r\n,"a\uff1d\uff0b\uff0d\uff20') }),
  );
  fc.assert(
    fc.property(fc.array(fc.array(text, { minLength: 3, maxLength: 3 })), (lines) => {
      const back = readCsv(lines.map(csvLine).join(""));
      expect(back.map((line) => line.map(unguarded))).toEqual(lines.map((line) => line.map(unguarded)));
      for (const cell of back.flat()) expect(cell).not.toMatch(beginning);
    }),
  );
});
