import fc from "fast-check";
import { expect, test } from "vitest";
import { checkResponseRules, classifyResponse, type ResponseRule } from "#lib/delivery/response-rules.ts";

const text = fc.string({ unit: fc.constantFrom("o", "k", "é", "🎰"), maxLength: 4 });
const statuses = fc.uniqueArray(fc.constantFrom(200, 201, 204, 205), { maxLength: 3 });
const narrowing: fc.Arbitrary<ResponseRule> = fc.oneof(
  fc.record({ kind: fc.constant("status_in" as const), statuses, retry: fc.boolean() }),
  fc.record({
    kind: fc.constantFrom("body_contains" as const, "body_does_not_contain" as const, "body_equals" as const),
    text,
    retry: fc.boolean(),
  }),
);
const rules = fc.array(narrowing, { maxLength: 4 });

/** A body that keeps the rules, if there is one: what must be in it, kept apart by what no rule names. */
function bodyFor(list: ResponseRule[]): string {
  const equals = list.find((rule) => rule.kind === "body_equals");
  if (equals) return equals.text;
  return list.flatMap((rule) => (rule.kind === "body_contains" ? [rule.text] : [])).join("|");
}

test("rules that can be saved let some answer through; rules that contradict let none", () => {
  fc.assert(
    fc.property(rules, fc.array(text, { maxLength: 10 }), (list, texts) => {
      const passes = (status: number, body: string) =>
        // HTTP allows these no body.
        !((status === 204 || status === 205) && body !== "") &&
        classifyResponse({ status, body: Buffer.from(body) }, list).outcome === "delivered";
      const errors = checkResponseRules(list);
      const named = list.flatMap((rule) => (rule.kind === "status_in" ? [] : [rule.text]));
      const somePass = [200, 201, 204, 205].some((status) =>
        ["", bodyFor(list), ...named, ...texts].some((body) => passes(status, body)),
      );
      if (errors.length === 0) expect(somePass).toBe(true);
      else if (!errors.every(({ message }) => message === "must not be empty")) expect(somePass).toBe(false);
    }),
    { numRuns: 1_000 },
  );
});

test("a refusal is never a success, and follows the setting of the rule", () => {
  fc.assert(
    fc.property(rules, fc.integer({ min: 200, max: 599 }), text, (list, status, body) => {
      const { outcome, reason } = classifyResponse({ status, body: Buffer.from(body) }, list);
      if (status > 299) expect(outcome).not.toBe("delivered");
      if (reason !== "rejected_by_response") return;
      const settings = list.map((rule) => (rule.kind === "duplicate" ? null : rule.retry));
      expect(settings).toContain(outcome === "transient");
    }),
  );
});
