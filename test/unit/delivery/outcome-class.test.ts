import { expect, test } from "vitest";
import { classify } from "#lib/delivery/classify.ts";
import { outcomeClassOf, storedOutcomes } from "#lib/delivery/outcome-class.ts";
import { type OutcomeClass, type Reason, reasons } from "#lib/vocabulary.ts";

const byWhatStoodInTheWay: [OutcomeClass, Reason[]][] = [
  [
    "network",
    [
      "dns_error",
      "connection_refused",
      "connection_reset",
      "connection_failed",
      "tls_failed",
      "certificate_invalid",
    ],
  ],
  ["timeout", ["timeout"]],
  [
    "other",
    [
      "invalid_response",
      "blocked_address",
      "rejected_by_response",
      "body_purged",
      "worker_lost",
      "endpoint_deleted",
      "discarded_by_hand",
      "invalid_data",
      "missing_click_id",
      "unsafe_path_value",
      "unmapped_value",
      "url_too_long",
      "body_too_long",
      "secret_missing",
    ],
  ],
];

test.each(byWhatStoodInTheWay)("without an answer that counts: %s", (expected, given) => {
  for (const reason of given) expect(outcomeClassOf(reason), reason).toBe(expected);
});

const families: [number, OutcomeClass][] = [
  [300, "redirect"],
  [400, "client_error"],
  [500, "server_error"],
];

test.each(families)("an answer from %i on is of its family, whatever its reason", (first, expected) => {
  const seen = new Set<Reason>();
  for (let status = first; status < first + 100; status += 1) {
    const { reason } = classify({ status });
    expect(outcomeClassOf(reason), `${status} ${reason}`).toBe(expected);
    if (reason !== null) seen.add(reason);
  }
  expect(seen.size).toBeGreaterThan(0);
});

test("a success is delivered, and every reason has its class", () => {
  expect(outcomeClassOf(null)).toBe("delivered");
  for (const reason of reasons) expect(outcomeClassOf(reason), reason).toEqual(expect.any(String));
});

test("all classes but the rest have a column", () => {
  expect(storedOutcomes).toContain("delivered");
  expect(storedOutcomes).not.toContain("other");
  expect(new Set(storedOutcomes).size).toBe(storedOutcomes.length);
});
