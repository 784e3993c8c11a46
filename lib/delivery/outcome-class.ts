import { type OutcomeClass, outcomeClasses, type Reason } from "#lib/vocabulary.ts";

/** The classes that are stored, each in a column of its name; of all attempts, the rest is `other`. */
export const storedOutcomes = outcomeClasses.filter((name) => name !== "other");

/** An answer by the family of its status, else by what stood in the way of one. */
const classes = {
  dns_error: "network",
  connection_refused: "network",
  connection_reset: "network",
  connection_failed: "network",
  tls_failed: "network",
  certificate_invalid: "network",
  timeout: "timeout",
  invalid_response: "other",
  blocked_address: "other",
  redirect: "redirect",
  bad_request: "client_error",
  unauthorized: "client_error",
  forbidden: "client_error",
  not_found: "client_error",
  method_not_allowed: "client_error",
  proxy_refused: "client_error",
  request_timeout: "client_error",
  gone: "client_error",
  payload_refused: "client_error",
  misdirected: "client_error",
  too_early: "client_error",
  rate_limited: "client_error",
  client_error: "client_error",
  server_error: "server_error",
  not_supported: "server_error",
  rejected_by_response: "other",
  body_purged: "other",
  worker_lost: "other",
  endpoint_deleted: "other",
  discarded_by_hand: "other",
  invalid_data: "other",
  missing_click_id: "other",
  unsafe_path_value: "other",
  unmapped_value: "other",
  url_too_long: "other",
  body_too_long: "other",
  secret_missing: "other",
} satisfies Record<Reason, OutcomeClass>;

/** How an attempt is counted in charts, by why it failed; `null` for one that did not. */
export function outcomeClassOf(reason: Reason | null): OutcomeClass {
  return reason === null ? "delivered" : classes[reason];
}
