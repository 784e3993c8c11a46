import { describe, expect, test } from "vitest";
import { parseInput } from "#lib/api/issues.ts";
import { endpointCreate } from "#lib/endpoints/schema.ts";
import type { FieldError } from "#lib/errors.ts";

const endpoint = { affiliate: "a", name: "Orders", url: "https://example.com/" };

function faults(change: Record<string, unknown>): Record<string, string> {
  try {
    parseInput(endpointCreate, { ...endpoint, ...change }, "body");
  } catch (error) {
    const { errors } = error as { errors: FieldError[] };
    return Object.fromEntries(errors.map(({ field, message }) => [field, message]));
  }
  return {};
}

describe("what is wrong with a field is said in plain words, with its unit", () => {
  test.each([
    ["timeout_ms", 0, "must be at least 1,000 ms (1 s)"],
    ["timeout_ms", 600_000, "must be at most 60,000 ms (1 min)"],
    ["timeout_ms", 1_500.5, "must be a whole number"],
    ["timeout_ms", "15", "must be a number"],
    ["timeout_ms", Number.NaN, "must be a number"],
    ["concurrency", 0, "must be at least 1"],
    ["concurrency", 257, "must be at most 256"],
    ["name", "", "is needed"],
    ["name", undefined, "is needed"],
    ["name", 7, "must be text"],
    ["name", "a".repeat(201), "must be at most 200 characters"],
    ["event_types", [], "must have at least 1 entry"],
    ["event_types", {}, "must be a list"],
    ["ordering", "some", "must be one of none, per_key, strict"],
    ["nmae", "a", "is not a known field"],
  ])("%s %s", (field, value, message) => {
    expect(faults({ [field]: value })).toEqual({ [field]: message });
  });

  test.each([
    [
      { retry: { max_attempts: 31, base_seconds: 0, cap_seconds: 90_000 } },
      "retry.max_attempts",
      "must be at most 30",
    ],
    [
      { retry: { max_attempts: 1, base_seconds: 0, cap_seconds: 5 } },
      "retry.base_seconds",
      "must be at least 1 s",
    ],
    [
      { retry: { max_attempts: 1, base_seconds: 5, cap_seconds: 90_000 } },
      "retry.cap_seconds",
      "must be at most 86,400 s (1 d)",
    ],
    [{ rate_limit: { amount: 0, per: "second" } }, "rate_limit.amount", "must be at least 1"],
    [
      {
        headers: [
          { name: "A", value: "1" },
          { name: "Host", value: "x" },
        ],
      },
      "headers.1.name",
      "is set by Posthorn and cannot be given",
    ],
    [{ headers: [{ name: "", value: "1" }] }, "headers.0.name", "is needed"],
    [
      { response_rules: [{ kind: "body_says", text: "" }] },
      "response_rules.0.kind",
      "must be one of status_in, body_contains, body_does_not_contain, body_equals, duplicate",
    ],
    [
      { response_rules: [{ kind: "body_contains", text: "", retry: true }] },
      "response_rules.0.text",
      "must not be empty",
    ],
  ])("nested: %j", (change, field, message) => {
    expect(faults(change)[field]).toBe(message);
  });
});
