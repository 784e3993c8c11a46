import { describe, expect, test } from "vitest";
import { type Completion, completedText, completionAt } from "#components/template-editor/completion.ts";
import type { TextKind } from "#lib/delivery/template/types.ts";

const macros = ["click_id", "conversion_id", "payout", "sub1", "sub10", "secret.token"].map((name) => ({
  name,
  description: "",
  example: "",
}));

/** The caret stands where the bar does. */
function at(marked: string, kind: TextKind = "url") {
  const caret = marked.indexOf("¦");
  const text = marked.replace("¦", "");
  return { text, found: completionAt(text, caret, { macros, kind }) };
}
const names = (found: Completion | null) => found?.options.map(({ name }) => name) ?? null;
function taken(marked: string, kind: TextKind = "url"): string {
  const { text, found } = at(marked, kind);
  if (!found) throw new Error("nothing is offered");
  const name = found.options[0]?.name ?? "";
  return text.slice(0, found.at) + completedText(text, found, name) + text.slice(found.at + found.length);
}

describe("what is offered", () => {
  test.each([
    ["a={¦", macros.map(({ name }) => name)],
    ["a={sub¦", ["sub1", "sub10"]],
    ["a={ID¦", ["click_id", "conversion_id"]],
    ["a={cid¦", ["click_id"]],
    ["a={s¦", ["sub1", "sub10", "secret.token", "conversion_id"]],
    ["a={secret.¦", ["secret.token"]],
    ["a={sub1¦}", ["sub1", "sub10"]],
    ["a={click_id¦}", null],
    ["a={click_id}¦", null],
    ["a={click_id|¦}", null],
    ["a={nothing¦", null],
    ["a=¦{", null],
    ["a={{¦", null],
    ["a¦", null],
  ])("%s", (marked, expected) => {
    expect(names(at(marked).found)).toEqual(expected);
  });

  test.each([
    ["{¦", null],
    ['{"a":{¦', null],
    ['{"a":{p¦', ["payout"]],
    ['{"a":"{¦', macros.map(({ name }) => name)],
  ])("in JSON, where braces have a meaning of their own: %s", (marked, expected) => {
    expect(names(at(marked, "json").found)).toEqual(expected);
  });
});

test.each([
  ["a={cl¦&b=1", "a={click_id}&b=1"],
  ["a={cl¦ick}&b=1", "a={click_id}&b=1"],
  ["a={pay¦:lower|x}", "a={payout:lower|x}"],
  ["a={pay¦|x}", "a={payout|x}"],
])("taken, %s becomes %s", (marked, expected) => {
  expect(taken(marked)).toBe(expected);
});
