import type { AttemptOutcome, Reason } from "#lib/vocabulary.ts";
import { isUnsent, type UnsentReason, unsentCodes } from "./unsent.ts";

/** What came of a request: a complete response's status, or the transport's error code. */
export type Answer = { status: number } | { errorCode: string };

/** `delivered` has no reason; `worker_lost` is never classified, since nothing came back. */
export type Classification =
  | { outcome: Extract<AttemptOutcome, "delivered">; reason: null }
  | { outcome: Extract<AttemptOutcome, "transient" | "permanent">; reason: Reason };

/**
 * Judges an answer by status or error code alone, never by message text. Which failures are transient and
 * which permanent: product.md, "Defaults".
 */
export function classify(answer: Answer): Classification {
  return "status" in answer ? classifyStatus(answer.status) : classifyError(answer.errorCode);
}

const permanentStatuses: Readonly<Record<number, Reason>> = {
  400: "bad_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  407: "proxy_refused",
  410: "gone",
  413: "payload_refused",
  415: "payload_refused",
  421: "misdirected",
  422: "payload_refused",
  501: "not_supported",
  505: "not_supported",
};

const transientStatuses: Readonly<Record<number, Reason>> = {
  408: "request_timeout",
  425: "too_early",
  429: "rate_limited",
};

function classifyStatus(status: number): Classification {
  if (status >= 200 && status <= 299) return { outcome: "delivered", reason: null };
  const permanent = permanentStatuses[status];
  if (permanent) return { outcome: "permanent", reason: permanent };
  const transient = transientStatuses[status];
  if (transient) return { outcome: "transient", reason: transient };
  if (status >= 300 && status <= 399) return { outcome: "permanent", reason: "redirect" };
  if (status >= 400 && status <= 499) return { outcome: "permanent", reason: "client_error" };
  if (status >= 500 && status <= 599) return { outcome: "transient", reason: "server_error" };
  // Below 200 or above 599 is no final answer of HTTP (RFC 9110, section 15).
  return { outcome: "transient", reason: "invalid_response" };
}

const errorReasons: ReadonlyMap<string, Reason> = new Map([
  ["POSTHORN_TIMEOUT", "timeout"],
  ["POSTHORN_BLOCKED_ADDRESS", "blocked_address"],
  ...Object.entries(unsentCodes).map(([reason, code]) => [code, reason as UnsentReason] as const),
  ["UND_ERR_CONNECT_TIMEOUT", "timeout"],
  ["UND_ERR_HEADERS_TIMEOUT", "timeout"],
  ["UND_ERR_BODY_TIMEOUT", "timeout"],
  ["ETIMEDOUT", "timeout"],
  ["ENOTFOUND", "dns_error"],
  ["EAI_AGAIN", "dns_error"],
  ["EAI_NODATA", "dns_error"],
  ["EAI_FAIL", "dns_error"],
  ["ENODATA", "dns_error"],
  ["ESERVFAIL", "dns_error"],
  ["ECONNREFUSED", "connection_refused"],
  ["ECONNRESET", "connection_reset"],
  ["EPIPE", "connection_reset"],
  ["ECONNABORTED", "connection_reset"],
  ["UND_ERR_SOCKET", "connection_reset"],
  ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "invalid_response"],
  ["UND_ERR_HEADERS_OVERFLOW", "invalid_response"],
  ["EPROTO", "tls_failed"],
  ["POSTHORN_TLS_INTERRUPTED", "tls_failed"],
]);

/** OpenSSL's verification errors as Node.js names them (`tls` documentation, "X509 certificate error codes"). */
const certificateErrors: ReadonlySet<string> = new Set([
  "CERT_CHAIN_TOO_LONG",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REJECTED",
  "CERT_REVOKED",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERROR_IN_CERT_NOT_AFTER_FIELD",
  "ERROR_IN_CERT_NOT_BEFORE_FIELD",
  "ERR_TLS_CERT_ALTNAME_INVALID",
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
]);

function classifyError(code: string): Classification {
  if (certificateErrors.has(code)) return { outcome: "permanent", reason: "certificate_invalid" };
  const reason = errorReasons.get(code) ?? reasonByFamily(code);
  // What no later attempt would change.
  const isPermanent = reason === "blocked_address" || isUnsent(reason);
  return { outcome: isPermanent ? "permanent" : "transient", reason };
}

function reasonByFamily(code: string): Reason {
  if (code.startsWith("HPE_")) return "invalid_response";
  if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_")) return "tls_failed";
  return "connection_failed";
}
