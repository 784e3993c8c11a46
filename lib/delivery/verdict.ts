import type { Reason } from "#lib/vocabulary.ts";
import type { Classification } from "./classify.ts";
import { isUnsent } from "./unsent.ts";

/**
 * What an attempt says about its endpoint. `neutral`: it was answered, and that is no sign of a broken endpoint.
 * `unsent`: it was asked nothing.
 */
export type Verdict = "success" | "failure" | "neutral" | "unsent";

/** What the breaker counts (product.md, "breaker opens"). A refused payload or a fault of ours is neutral. */
const counted = {
  dns_error: true,
  connection_refused: true,
  connection_reset: true,
  connection_failed: true,
  tls_failed: true,
  certificate_invalid: true,
  timeout: true,
  invalid_response: true,
  blocked_address: true,
  redirect: true,
  bad_request: false,
  unauthorized: true,
  forbidden: true,
  not_found: true,
  method_not_allowed: true,
  proxy_refused: true,
  request_timeout: true,
  gone: true,
  payload_refused: false,
  misdirected: true,
  too_early: true,
  rate_limited: true,
  client_error: false,
  server_error: true,
  not_supported: true,
  rejected_by_response: false,
  body_purged: false,
  worker_lost: false,
  endpoint_deleted: false,
  discarded_by_hand: false,
  invalid_data: false,
  missing_click_id: false,
  unsafe_path_value: false,
  unmapped_value: false,
  url_too_long: false,
  body_too_long: false,
  secret_missing: false,
} satisfies Record<Reason, boolean>;

/** Whether the breaker counts this as a failure of the endpoint. */
export function countsAgainstEndpoint(classification: Classification): boolean {
  return classification.reason !== null && counted[classification.reason];
}

/** What the attempt says about its endpoint. */
export function verdictOf(classification: Classification): Verdict {
  if (classification.outcome === "delivered") return "success";
  if (isUnsent(classification.reason)) return "unsent";
  return countsAgainstEndpoint(classification) ? "failure" : "neutral";
}
