import { expect, it, test } from "vitest";
import { type Answer, classify } from "#lib/delivery/classify.ts";
import { countsAgainstEndpoint, type Verdict, verdictOf } from "#lib/delivery/verdict.ts";
import { reasons } from "#lib/vocabulary.ts";

const expected: [Answer, Verdict][] = [
  [{ status: 200 }, "success"],
  [{ status: 301 }, "failure"],
  [{ status: 400 }, "neutral"],
  [{ status: 401 }, "failure"],
  [{ status: 402 }, "neutral"],
  [{ status: 403 }, "failure"],
  [{ status: 404 }, "failure"],
  [{ status: 405 }, "failure"],
  [{ status: 406 }, "neutral"],
  [{ status: 407 }, "failure"],
  [{ status: 408 }, "failure"],
  [{ status: 409 }, "neutral"],
  [{ status: 410 }, "failure"],
  [{ status: 413 }, "neutral"],
  [{ status: 415 }, "neutral"],
  [{ status: 421 }, "failure"],
  [{ status: 422 }, "neutral"],
  [{ status: 425 }, "failure"],
  [{ status: 429 }, "failure"],
  [{ status: 451 }, "neutral"],
  [{ status: 500 }, "failure"],
  [{ status: 501 }, "failure"],
  [{ status: 503 }, "failure"],
  [{ status: 505 }, "failure"],
  [{ status: 999 }, "failure"],
  [{ errorCode: "ENOTFOUND" }, "failure"],
  [{ errorCode: "ECONNREFUSED" }, "failure"],
  [{ errorCode: "ECONNRESET" }, "failure"],
  [{ errorCode: "EHOSTUNREACH" }, "failure"],
  [{ errorCode: "POSTHORN_TIMEOUT" }, "failure"],
  [{ errorCode: "POSTHORN_TLS_INTERRUPTED" }, "failure"],
  [{ errorCode: "CERT_HAS_EXPIRED" }, "failure"],
  [{ errorCode: "POSTHORN_BLOCKED_ADDRESS" }, "failure"],
  [{ errorCode: "POSTHORN_BODY_PURGED" }, "unsent"],
  [{ errorCode: "POSTHORN_SECRET_MISSING" }, "unsent"],
  [{ errorCode: "POSTHORN_UNSAFE_PATH_VALUE" }, "unsent"],
  [{ errorCode: "POSTHORN_URL_TOO_LONG" }, "unsent"],
  [{ errorCode: "POSTHORN_BODY_TOO_LONG" }, "unsent"],
];

it.each(expected)("%o is a %s for the breaker", (answer, verdict) => {
  expect(verdictOf(classify(answer))).toBe(verdict);
});

test("a success does not count", () => {
  expect(countsAgainstEndpoint({ outcome: "delivered", reason: null })).toBe(false);
});

test("a response rule's refusal, a lost worker, a deleted endpoint and a template's faults are neutral", () => {
  const neutral = reasons.filter((reason) => !countsAgainstEndpoint({ outcome: "permanent", reason }));
  expect(neutral).toEqual([
    "bad_request",
    "payload_refused",
    "client_error",
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
  ]);
});
