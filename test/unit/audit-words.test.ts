import { expect, test } from "vitest";
import { auditChanges, auditObjectHref, changedFieldsWords } from "#lib/audit/words.ts";

test("changes are told value by value, and what stayed is left out", () => {
  expect(
    auditChanges({
      before: {
        name: "a",
        retry: { max_attempts: 5, base_seconds: 30 },
        rate_limit: null,
        event_types: ["ftd"],
      },
      after: {
        name: "b",
        retry: { max_attempts: 7, base_seconds: 30 },
        rate_limit: { amount: 1 },
        event_types: ["ftd", "deposit"],
      },
    }),
  ).toEqual([
    { field: "name", before: "a", after: "b" },
    { field: "retry.max_attempts", before: "5", after: "7" },
    { field: "event_types", before: "ftd", after: "ftd\ndeposit" },
    { field: "rate_limit.amount", before: null, after: "1" },
  ]);
});

test("what was made has only an after, and what was deleted only a before", () => {
  expect(auditChanges({ before: null, after: { live: true, filters: [], rules: [{ is: "x" }] } })).toEqual([
    { field: "live", before: null, after: "true" },
    { field: "filters", before: null, after: "none" },
    { field: "rules", before: null, after: '{"is":"x"}' },
  ]);
  expect(auditChanges({ before: { name: "a" }, after: null })).toEqual([
    { field: "name", before: "a", after: null },
  ]);
  expect(auditChanges({ before: null, after: null })).toEqual([]);
});

test("the changed fields in a line", () => {
  const changes = ["a", "b", "c", "d"].map((field) => ({ field, before: null, after: "1" }));
  expect(changedFieldsWords(changes)).toBe("a, b and 2 more");
  expect(changedFieldsWords(changes.slice(0, 2))).toBe("a, b");
  expect(changedFieldsWords([])).toBe("");
});

test("every object has its page", () => {
  const affiliate = { id: "1", key: "acme", name: "Acme" };
  const of = (kind: Parameters<typeof auditObjectHref>[0]["object"]["kind"], id: string) =>
    auditObjectHref({ object: { kind, id, name: null }, affiliate });
  expect(of("affiliate", "1")).toBe("/affiliates/acme");
  expect(of("api_key", "k")).toBe("/settings/api-keys?q=k");
  expect(of("delivery", "7")).toBe("/deliveries/7");
  expect(of("endpoint", "e")).toBe("/endpoints/e");
  expect(of("event_type", "a.b")).toBe("/event-types/a.b");
});
