import { existsSync } from "node:fs";
import path from "node:path";
import { describe, test } from "vitest";
import { expectPostbackCase, readPostbackCases } from "#test/helpers/postback-cases.ts";

const file = path.resolve(import.meta.dirname, "../../../shared/cases/postback-render.json");

describe.skipIf(!existsSync(file))("the cases beside the project", () => {
  test.each(existsSync(file) ? readPostbackCases(file) : [])("$name", (given) => {
    expectPostbackCase(given);
  });
});
