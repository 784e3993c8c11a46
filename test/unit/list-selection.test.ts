import { expect, test } from "vitest";
import { chooseRow } from "#components/data-table/selection.ts";

const all = ["a", "b", "c", "d", "e"];
const sorted = (keys: Set<string>) => [...keys].sort().join("");

test.each([
  { of: "", anchor: null, key: "b", range: false, makes: "b" },
  { of: "b", anchor: "b", key: "b", range: false, makes: "" },
  { of: "b", anchor: "b", key: "d", range: false, makes: "bd" },
  { of: "b", anchor: "b", key: "d", range: true, makes: "bcd" },
  { of: "d", anchor: "d", key: "b", range: true, makes: "bcd" },
  { of: "ae", anchor: "e", key: "c", range: true, makes: "acde" },
  // What is chosen already is taken away with all up to it.
  { of: "abcde", anchor: "b", key: "d", range: true, makes: "ae" },
  { of: "", anchor: null, key: "c", range: true, makes: "c" },
  // The row that was chosen last has left the page.
  { of: "", anchor: "gone", key: "c", range: true, makes: "c" },
])("of [$of], $key (range $range, last $anchor) makes [$makes]", ({ of, anchor, key, range, makes }) => {
  expect(sorted(chooseRow(all, { keys: new Set(of), anchor }, { key, range }))).toBe(makes);
});
