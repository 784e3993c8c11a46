import path from "node:path";
import { expect, test } from "vitest";
import { expectPostbackCase, readPostbackCases } from "#test/helpers/postback-cases.ts";

const cases = readPostbackCases(path.join(import.meta.dirname, "../../../fixtures/postback-render.json"));

test("the cases are there", () => {
  expect(cases).toHaveLength(45);
});

test.each(cases)("$name", (given) => {
  expectPostbackCase(given);
});
