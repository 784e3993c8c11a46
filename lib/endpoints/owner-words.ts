import { classify } from "#lib/delivery/classify.ts";
import { isUnsent } from "#lib/delivery/unsent.ts";
import { type Reason, reasonRemedies, reasonSentences } from "#lib/vocabulary.ts";

/** A sentence about an affiliate's server, as it is said to the affiliate: "their server" is "your server". */
export function toOwner(sentence: string): string {
  return sentence.replaceAll("Their ", "Your ").replaceAll("their ", "your ");
}

/** What the owner of the server can do about failures with this reason; empty where there is nothing. */
export const ownerRemedies = {
  dns_error: "Is the host name in the URL right, and does it still resolve?",
  connection_refused: "Is your server running, and listening on the port of the URL?",
  connection_reset: "Does your server or a firewall before it drop requests?",
  connection_failed: "Can your server be reached from the internet? A firewall may have to let us in.",
  tls_failed: "Has the TLS set-up of your server changed?",
  certificate_invalid: "Has the certificate run out, or is a part of its chain missing?",
  timeout: "Answer first and do the work afterwards, or raise the timeout of this endpoint.",
  invalid_response: "What answers at this URL? It does not speak HTTP correctly.",
  blocked_address: "Use an address that can be reached from the internet.",
  redirect: "Redirects are never followed: set the URL to the address that it leads to.",
  bad_request: "Compare what was sent with what your server expects.",
  unauthorized: "Has the token changed?",
  forbidden: "Does your server or a firewall before it block us?",
  not_found: "Has the path of the URL changed?",
  method_not_allowed: "Does your server take this method at this URL?",
  proxy_refused: "Does a proxy before your server ask for credentials?",
  request_timeout: "Is your server overloaded?",
  gone: "Give the endpoint its new URL, then resume it.",
  payload_refused: "Compare what was sent with what your server expects.",
  misdirected: "Is the host of the URL right? Another server answers for it.",
  too_early: "Your server asks to be sent this later; nothing is to be done if that is meant.",
  rate_limited: "Set a rate limit on the endpoint, or let more requests in.",
  client_error: "Its answer usually says what is wrong: send a test to see it.",
  server_error: "What do the logs of your server say about these requests?",
  not_supported: "Does your server take this kind of request at this URL?",
  rejected_by_response: "If that answer means success, correct the response rules of the endpoint.",
  body_purged: "Its data are no longer kept: ask Posthorn's operators to publish the event again.",
  worker_lost: "This was on our side; it is tried again.",
  endpoint_deleted: "",
  discarded_by_hand: "",
  invalid_data: "This is on the operators' side: ask them to correct the event.",
  missing_click_id: "Give {click_id} a default in the template if you want such events as well.",
  unsafe_path_value: "Give the macro a default, or move it into the query of the template.",
  unmapped_value: "Add the value to the map in the template.",
  url_too_long: "Take macros out of the template, or use POST with a body.",
  body_too_long: "Take macros out of the template of the body.",
  secret_missing: "Give the endpoint a secret of that name, or change the template.",
} satisfies Record<Reason, string>;

/** What happened and what to do about it, for staff or for the owner of the server. */
export type ReasonWords = { sentence: (reason: Reason) => string; remedy: (reason: Reason) => string };

export const staffReasonWords: ReasonWords = {
  sentence: (reason) => reasonSentences[reason],
  remedy: (reason) => reasonRemedies[reason],
};

export const ownerReasonWords: ReasonWords = {
  sentence: (reason) => toOwner(reasonSentences[reason]),
  remedy: (reason) => ownerRemedies[reason],
};

/**
 * What becomes of a delivery after a failure. `given_up`: sending the same again would not help; `by_rule`: a response rule
 * refused the answer, and says itself whether to try again.
 */
export function whatFollows({
  reason,
  status,
}: {
  reason: Reason | null;
  status: number | null;
}): "retried" | "given_up" | "by_rule" {
  if (reason === "rejected_by_response") return "by_rule";
  if (
    reason === "certificate_invalid" ||
    reason === "blocked_address" ||
    (reason !== null && isUnsent(reason))
  )
    return "given_up";
  const isRefused = status !== null && reason !== "timeout" && classify({ status }).outcome === "permanent";
  return isRefused ? "given_up" : "retried";
}
