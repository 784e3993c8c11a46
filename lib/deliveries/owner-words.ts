import type { Reason } from "#lib/vocabulary.ts";

/** A sentence about "their server", said to those whose server it is. */
export function toOwner(sentence: string): string {
  return sentence
    .replace(/\bTheir (server|certificate|answer)/g, "Your $1")
    .replace(/\btheir (server|certificate|answer)/g, "your $1")
    .replace(/\bThey answered\b/g, "It answered");
}

/** What the owner of the endpoint can do about a delivery that ended so; empty where nothing is left to do. */
export const ownerRemedies = {
  dns_error: "Check the host name in the endpoint's URL and its DNS records, then resend.",
  connection_refused: "Check that your server is up and listening on this port, then resend.",
  connection_reset: "Check whether your server or a firewall before it drops requests, then resend.",
  connection_failed: "Check that your server can be reached from the internet, then resend.",
  tls_failed: "Check your server's TLS set-up, then resend.",
  certificate_invalid: "Renew or correct your server's certificate, then resend.",
  timeout: "Answer first and do the work later, or raise the endpoint's timeout, then resend.",
  invalid_response: "Check what answers at this URL; it does not speak HTTP correctly.",
  blocked_address: "Use a public address.",
  redirect: "Set the endpoint's URL to the address that the redirect names, then resend.",
  bad_request: "Compare what was sent with what your server expects.",
  unauthorized: "Has a token or password changed? Update it at the endpoint, then resend.",
  forbidden: "Check whether a firewall or rule at your side blocks these requests, then resend.",
  not_found: "Correct the endpoint's URL, then resend.",
  method_not_allowed: "Use a URL that takes this method, then resend.",
  proxy_refused: "Check whether a proxy before your server blocks these requests, then resend.",
  request_timeout: "Check whether your server is overloaded, then resend.",
  gone: "Set the endpoint's new URL, then resend.",
  payload_refused: "Compare what was sent with what your server expects.",
  misdirected: "Correct the endpoint's URL, then resend.",
  too_early: "Resend later.",
  rate_limited: "Set a rate limit at the endpoint, or raise your server's, then resend.",
  client_error: "Read your server's answer below; it usually says what is wrong.",
  server_error: "Look at your server's logs at the time of the last attempt, then resend.",
  not_supported: "Use a URL that takes this kind of request, then resend.",
  rejected_by_response: "Read the answer below; correct the response rules if it was a success.",
  body_purged: "It is too old to be sent again; ask for the event to be published anew if you need it.",
  worker_lost: "Resend it.",
  endpoint_deleted: "",
  discarded_by_hand: "Resend it if you want it after all.",
  invalid_data: "The event came to us incomplete; ask whoever publishes your events.",
  missing_click_id:
    "Give {click_id} a default in the template if you want such events, then render this again.",
  unsafe_path_value:
    "Give the macro a default or move it into the query of the template, then render this again.",
  unmapped_value: "Add the value to the map in the template, then render this again.",
  url_too_long: "Send fewer or shorter values, or use POST with a body, then render this again.",
  body_too_long: "Send fewer or shorter values in the template, then render this again.",
  secret_missing:
    "Give the endpoint a secret of that name, or render this again with the template as it is now.",
} satisfies Record<Reason, string>;
