import { createSecretKey } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, test } from "vitest";
import { type Answer, type Classification, classify } from "#lib/delivery/classify.ts";
import { decide } from "#lib/delivery/decide.ts";
import type { Filter } from "#lib/delivery/filters.ts";
import { webhookBody, webhookHeaders } from "#lib/delivery/request.ts";
import { route } from "#lib/delivery/route.ts";
import { signWebhook } from "#lib/delivery/signature.ts";

describe("classify", () => {
  const expected: [Answer, Classification["outcome"], Classification["reason"]][] = [
    [{ status: 200 }, "delivered", null],
    [{ status: 204 }, "delivered", null],
    [{ status: 299 }, "delivered", null],
    [{ status: 301 }, "permanent", "redirect"],
    [{ status: 308 }, "permanent", "redirect"],
    [{ status: 400 }, "permanent", "bad_request"],
    [{ status: 401 }, "permanent", "unauthorized"],
    [{ status: 403 }, "permanent", "forbidden"],
    [{ status: 404 }, "permanent", "not_found"],
    [{ status: 405 }, "permanent", "method_not_allowed"],
    [{ status: 407 }, "permanent", "proxy_refused"],
    [{ status: 408 }, "transient", "request_timeout"],
    [{ status: 410 }, "permanent", "gone"],
    [{ status: 413 }, "permanent", "payload_refused"],
    [{ status: 415 }, "permanent", "payload_refused"],
    [{ status: 418 }, "permanent", "client_error"],
    [{ status: 421 }, "permanent", "misdirected"],
    [{ status: 422 }, "permanent", "payload_refused"],
    [{ status: 425 }, "transient", "too_early"],
    [{ status: 429 }, "transient", "rate_limited"],
    [{ status: 500 }, "transient", "server_error"],
    [{ status: 501 }, "permanent", "not_supported"],
    [{ status: 502 }, "transient", "server_error"],
    [{ status: 503 }, "transient", "server_error"],
    [{ status: 504 }, "transient", "server_error"],
    [{ status: 505 }, "permanent", "not_supported"],
    [{ status: 599 }, "transient", "server_error"],
    [{ status: 600 }, "transient", "invalid_response"],
    [{ status: 199 }, "transient", "invalid_response"],
    [{ status: 300 }, "permanent", "redirect"],
    [{ status: 399 }, "permanent", "redirect"],
    [{ status: 499 }, "permanent", "client_error"],
    [{ status: 999 }, "transient", "invalid_response"],
    [{ errorCode: "ENOTFOUND" }, "transient", "dns_error"],
    [{ errorCode: "EAI_AGAIN" }, "transient", "dns_error"],
    [{ errorCode: "EAI_NODATA" }, "transient", "dns_error"],
    [{ errorCode: "EAI_FAIL" }, "transient", "dns_error"],
    [{ errorCode: "ENODATA" }, "transient", "dns_error"],
    [{ errorCode: "ESERVFAIL" }, "transient", "dns_error"],
    [{ errorCode: "EPIPE" }, "transient", "connection_reset"],
    [{ errorCode: "ECONNABORTED" }, "transient", "connection_reset"],
    [{ errorCode: "UND_ERR_HEADERS_TIMEOUT" }, "transient", "timeout"],
    [{ errorCode: "UND_ERR_BODY_TIMEOUT" }, "transient", "timeout"],
    [{ errorCode: "ETIMEDOUT" }, "transient", "timeout"],
    [{ errorCode: "UND_ERR_RES_CONTENT_LENGTH_MISMATCH" }, "transient", "invalid_response"],
    [{ errorCode: "UND_ERR_HEADERS_OVERFLOW" }, "transient", "invalid_response"],
    [{ errorCode: "EPROTO" }, "transient", "tls_failed"],
    [{ errorCode: "ERR_TLS_HANDSHAKE_TIMEOUT" }, "transient", "tls_failed"],
    [{ errorCode: "X_ERR_SSL_" }, "transient", "connection_failed"],
    [{ errorCode: "X_ERR_TLS_" }, "transient", "connection_failed"],
    [{ errorCode: "X_HPE_" }, "transient", "connection_failed"],
    [{ errorCode: "ECONNREFUSED" }, "transient", "connection_refused"],
    [{ errorCode: "ECONNRESET" }, "transient", "connection_reset"],
    [{ errorCode: "UND_ERR_SOCKET" }, "transient", "connection_reset"],
    [{ errorCode: "EHOSTUNREACH" }, "transient", "connection_failed"],
    [{ errorCode: "UND_ERR_CONNECT_TIMEOUT" }, "transient", "timeout"],
    [{ errorCode: "POSTHORN_TIMEOUT" }, "transient", "timeout"],
    [{ errorCode: "POSTHORN_TLS_INTERRUPTED" }, "transient", "tls_failed"],
    [{ errorCode: "ERR_SSL_WRONG_VERSION_NUMBER" }, "transient", "tls_failed"],
    [{ errorCode: "HPE_INVALID_CONSTANT" }, "transient", "invalid_response"],
    [{ errorCode: "CERT_HAS_EXPIRED" }, "permanent", "certificate_invalid"],
    [{ errorCode: "DEPTH_ZERO_SELF_SIGNED_CERT" }, "permanent", "certificate_invalid"],
    [{ errorCode: "ERR_TLS_CERT_ALTNAME_INVALID" }, "permanent", "certificate_invalid"],
    [{ errorCode: "POSTHORN_BLOCKED_ADDRESS" }, "permanent", "blocked_address"],
    [{ errorCode: "POSTHORN_BODY_PURGED" }, "permanent", "body_purged"],
    [{ errorCode: "constructor" }, "transient", "connection_failed"],
  ];
  // OpenSSL's own list: a certificate that does not verify is no reason to try again.
  const certificateCodes = [
    "CERT_CHAIN_TOO_LONG",
    "CERT_NOT_YET_VALID",
    "CERT_REJECTED",
    "CERT_REVOKED",
    "CERT_SIGNATURE_FAILURE",
    "CERT_UNTRUSTED",
    "ERROR_IN_CERT_NOT_AFTER_FIELD",
    "ERROR_IN_CERT_NOT_BEFORE_FIELD",
    "HOSTNAME_MISMATCH",
    "INVALID_CA",
    "INVALID_PURPOSE",
    "PATH_LENGTH_EXCEEDED",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY",
    "UNABLE_TO_DECRYPT_CERT_SIGNATURE",
    "UNABLE_TO_GET_ISSUER_CERT",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  ];
  it.each(certificateCodes)("%s is permanent, certificate_invalid", (errorCode) => {
    expect(classify({ errorCode })).toEqual({ outcome: "permanent", reason: "certificate_invalid" });
  });
  it.each(expected)("%o is %s, %s", (answer, outcome, reason) => {
    expect(classify(answer)).toEqual({ outcome, reason });
  });
});

describe("decide", () => {
  const delivery = {
    attemptsCharged: 1,
    deliveredBefore: false,
    maxAttempts: 5,
    baseSeconds: 30,
    capSeconds: 3_600,
    retryAfterMs: 0,
  };
  const transient = { outcome: "transient", reason: "server_error" } as const;
  const permanent = { outcome: "permanent", reason: "unauthorized" } as const;

  test("a success is delivered", () => {
    expect(decide({ outcome: "delivered", reason: null }, delivery, 0.5)).toEqual({
      state: "delivered",
      reason: null,
    });
  });
  test("a transient failure is tried again within the backoff's bounds", () => {
    expect(decide(transient, { ...delivery, attemptsCharged: 2 }, 0.5)).toEqual({
      state: "failed",
      reason: "server_error",
      delayMs: 30_000,
    });
  });
  test("a server that asks to wait longer than the backoff is heeded; one that asks for less is not", () => {
    expect(decide(transient, { ...delivery, retryAfterMs: 120_000 }, 0.5)).toMatchObject({
      delayMs: 120_000,
    });
    expect(decide(transient, { ...delivery, retryAfterMs: 14_999 }, 0.5)).toMatchObject({ delayMs: 15_000 });
  });
  test("the last attempt's transient failure is a dead letter", () => {
    expect(decide(transient, { ...delivery, attemptsCharged: 5 }, 0.5)).toEqual({
      state: "dead_letter",
      reason: "server_error",
    });
  });
  test("a permanent failure is a dead letter at once", () => {
    expect(decide(permanent, delivery, 0.5)).toEqual({ state: "dead_letter", reason: "unauthorized" });
  });
  test("a delivery that was delivered before stays delivered when its resend fails", () => {
    expect(decide(permanent, { ...delivery, deliveredBefore: true }, 0.5)).toEqual({
      state: "delivered",
      reason: null,
    });
    expect(decide(transient, { ...delivery, deliveredBefore: true, attemptsCharged: 5 }, 0.5).state).toBe(
      "delivered",
    );
  });
});

describe("route", () => {
  const none = { values: new Map(), kinds: new Map() };
  const ftd = { type: "ftd", fields: () => none };
  const to = (eventTypes: string[] | null, filters: Filter[] = []) =>
    route(ftd, { eventTypes, filters }).decision;

  test("null subscribes to every type", () => {
    expect(to(null)).toBe("deliver");
  });
  test("a list subscribes to its types alone", () => {
    expect(to(["deposit", "ftd"])).toBe("deliver");
    expect(to(["deposit"])).toBe("not_subscribed");
    expect(to(["ftd.x"])).toBe("not_subscribed");
  });
  test("an event that does not pass a filter is filtered out, and the filter is named", () => {
    const filter: Filter = { field: "country", is: "equal", value: "DE" };
    const fields = (country: string) => () => ({ ...none, values: new Map([["country", country]]) });
    const subscription = { eventTypes: null, filters: [filter] };
    expect(route({ type: "ftd", fields: fields("SE") }, subscription)).toEqual({
      decision: "filtered_out",
      filter,
    });
    expect(route({ type: "ftd", fields: fields("DE") }, subscription)).toEqual({ decision: "deliver" });
  });
  test("what is not subscribed is not looked at", () => {
    const unread = { type: "ftd", fields: () => expect.unreachable() };
    const filters: Filter[] = [{ field: "country", is: "present" }];
    expect(route(unread, { eventTypes: ["deposit"], filters }).decision).toBe("not_subscribed");
    expect(route(unread, { eventTypes: null, filters: [] }).decision).toBe("deliver");
  });
});

describe("the request", () => {
  const occurredAt = new Date("2026-11-30T08:33:48.120Z");

  test("wraps the exact bytes of data", () => {
    const data = Buffer.from('{ "id":9007199254740993, "v":1.0,"e":"\u00e9e\u0301 \\u003c 🎰" }');
    const body = webhookBody({ id: "evt-1", type: "ftd", occurredAt, data });
    expect(body.toString()).toBe(
      `{"id":"evt-1","type":"ftd","timestamp":"2026-11-30T08:33:48.120Z","data":${data.toString()}}`,
    );
  });

  test("is verified by the published library for every valid secret, and by no other", () => {
    const body = webhookBody({ id: "evt-1", type: "ftd", occurredAt, data: Buffer.from('{"a":"🎰\\r\\n"}') });
    const [first, second, other] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    const timestampSeconds = Math.floor(Date.now() / 1_000);
    const signature = signWebhook(
      { id: "evt-1", timestampSeconds, body },
      [first, second].map((s) => createSecretKey(s)),
    );
    const list = webhookHeaders({ eventId: "evt-1", timestampSeconds, signature, attemptNumber: 3 });
    const headers = Object.fromEntries(
      list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1] as string]] : [])),
    );
    expect(headers["content-type"]).toBe("application/json");
    expect(headers["posthorn-attempt"]).toBe("3");
    expect(headers["user-agent"]).toMatch(/^Posthorn\/\d/);
    for (const secret of [first, second]) {
      expect(new Webhook(secret.toString("base64")).verify(body.toString(), headers)).toHaveProperty(
        "id",
        "evt-1",
      );
    }
    expect(() => new Webhook(other.toString("base64")).verify(body.toString(), headers)).toThrow();
  });
});
