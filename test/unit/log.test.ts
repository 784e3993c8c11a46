import { expect, test } from "vitest";
import { describeError } from "#lib/log.ts";

const canary = "click-4711";

test("a database error is logged without the values that its message and detail repeat", () => {
  const error = Object.assign(new Error(`invalid input syntax for type uuid: "${canary}"`), {
    severity: "ERROR",
    code: "22P02",
    detail: `Key (id)=(${canary}) already exists.`,
  });
  expect(describeError(error)).toMatchObject({ type: "DatabaseError", code: "22P02" });
  expect(JSON.stringify(describeError(error))).not.toContain(canary);
});

test("of a failed query only the cause is logged, without its text and parameters", () => {
  const cause = Object.assign(new Error(canary), { severity: "ERROR", code: "23505" });
  const error = Object.assign(new Error(`Failed query: select $1 params: ${canary}`, { cause }), {
    query: "select $1",
  });
  expect(describeError(error)).toMatchObject({ type: "DatabaseError", code: "23505" });
  expect(JSON.stringify(describeError(error))).not.toContain(canary);
});

test("any other error keeps its message, code and place", () => {
  const error = Object.assign(new Error("connection refused"), { code: "ECONNREFUSED" });
  const described = describeError(error);
  expect(described).toMatchObject({ type: "Error", message: "connection refused", code: "ECONNREFUSED" });
  expect(described.frames).toContain("log.test.ts");
});
