/**
 * The one list of every state, reason, kind and role. It feeds the database's enums, the zod schemas
 * and the labels of the console, so that a new member does not compile until it is named everywhere.
 */

/** Where a delivery stands. `failed` will be retried; the last four are final until somebody acts. */
export const deliveryStates = [
  "pending",
  "in_flight",
  "failed",
  "delivered",
  "dead_letter",
  "skipped",
  "discarded",
] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** How one attempt ended. */
export const attemptOutcomes = ["delivered", "transient", "permanent", "worker_lost"] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

/**
 * Why an attempt did not succeed, and, on a delivery, why it stands where it does. A dead letter carries
 * the reason of its last attempt; a discarded delivery carries who or what decided so.
 */
export const reasons = [
  "dns_error",
  "connection_refused",
  "connection_reset",
  "connection_failed",
  "tls_failed",
  "certificate_invalid",
  "timeout",
  "invalid_response",
  "blocked_address",
  "redirect",
  "bad_request",
  "unauthorized",
  "forbidden",
  "not_found",
  "method_not_allowed",
  "proxy_refused",
  "request_timeout",
  "gone",
  "payload_refused",
  "misdirected",
  "too_early",
  "rate_limited",
  "client_error",
  "server_error",
  "not_supported",
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
] as const;
export type Reason = (typeof reasons)[number];

/** What a server answered, by the first digit of its status; `none`: no answer came. */
export const statusClasses = ["2xx", "3xx", "4xx", "5xx", "none"] as const;
export type StatusClass = (typeof statusClasses)[number];

/** The spans that durations of attempts are rolled up by. */
export const latencyResolutions = ["minute", "hour"] as const;
export type LatencyResolution = (typeof latencyResolutions)[number];
/** How attempts ended, as charts tell them apart. `other` is what none of the rest says. */
export const outcomeClasses = [
  "delivered",
  "redirect",
  "client_error",
  "server_error",
  "timeout",
  "network",
  "other",
] as const;
export type OutcomeClass = (typeof outcomeClasses)[number];
/** Stands for the whole deployment where durations are kept by endpoint. */
export const everyEndpoint = "00000000-0000-0000-0000-000000000000";

export const endpointKinds = ["webhook", "postback"] as const;
export type EndpointKind = (typeof endpointKinds)[number];

/** What a postback is sent with; webhooks are always POST and JSON. */
export const httpMethods = ["GET", "POST"] as const;
export type HttpMethod = (typeof httpMethods)[number];
export const postbackContentTypes = ["application/json", "application/x-www-form-urlencoded"] as const;
export type PostbackContentType = (typeof postbackContentTypes)[number];

/** `paused` by a person, `disabled` by Posthorn; either way events are held, not dropped. */
export const endpointStatuses = ["active", "paused", "disabled"] as const;
export type EndpointStatus = (typeof endpointStatuses)[number];

/** Why an affiliate's own users may not resume an endpoint, while its operators may. */
export const resumeBars = ["staff_paused", "gone"] as const;
export type ResumeBar = (typeof resumeBars)[number];

/**
 * In which order an endpoint gets deliveries with the same ordering key: in any; each after the one before has
 * ended; or also not after a dead letter, until that is resent or discarded.
 */
export const orderings = ["none", "per_key", "strict"] as const;
export type Ordering = (typeof orderings)[number];

/** An endpoint's circuit breaker; `half_open` while its one probe is under way. */
export const breakerStates = ["closed", "open", "half_open"] as const;
export type BreakerState = (typeof breakerStates)[number];

/** What moved a breaker: the worker's results, the claim, the reaper, or somebody's hand. */
export const breakerCauses = [
  "consecutive_failures",
  "failure_rate",
  "probe_started",
  "probe_succeeded",
  "probe_neutral",
  "probe_failed",
  "probe_lost",
  "held",
  "reset",
  "closed_by_hand",
  "endpoint_changed",
  "resumed",
] as const;
export type BreakerCause = (typeof breakerCauses)[number];

/** A worker: renewing its lease, gone without a word, or ended cleanly. */
export const workerStates = ["alive", "lost", "stopped"] as const;
export type WorkerState = (typeof workerStates)[number];

/** What a requeue does with what it finds. */
export const requeueOperations = ["requeue", "discard"] as const;
export type RequeueOperation = (typeof requeueOperations)[number];

/** What postbacks go out with: the request that was frozen, or one by the template as it is then. */
export const requeueModes = ["same_url", "render_again"] as const;
export type RequeueMode = (typeof requeueModes)[number];

/** `completed`, `cancelled` and `failed` are for good. */
export const requeueStates = ["pending", "running", "completed", "cancelled", "failed"] as const;
export type RequeueState = (typeof requeueStates)[number];

/** What a requeue may take: dead letters, what awaits a retry, and what waits only for its endpoint to be resumed. */
export const requeueSources = ["dead_letter", "failed", "held"] as const;
export type RequeueSource = (typeof requeueSources)[number];

/** Why a requeue left a delivery as it was. */
export const requeueRefusals = [
  "in_flight",
  "already_waiting",
  "already_ended",
  "skipped",
  "cannot_render",
  "body_purged",
  "endpoint_deleted",
  "superseded",
  "moved_on",
] as const;
export type RequeueRefusal = (typeof requeueRefusals)[number];

/** What a field of an event type holds. */
export const fieldKinds = ["string", "integer", "decimal", "boolean", "timestamp"] as const;
export type FieldKind = (typeof fieldKinds)[number];

/** What becomes of an event whose data its event type does not allow. */
export const invalidDataRules = ["refuse", "warn"] as const;
export type InvalidDataRule = (typeof invalidDataRules)[number];

/** What an API key is for: it may do nothing else. */
export const keyPurposes = ["publish", "read", "manage"] as const;
export type KeyPurpose = (typeof keyPurposes)[number];

/** Whether a key is let in; the last two are for good. */
export const keyStatuses = ["active", "expired", "revoked"] as const;
export type KeyStatus = (typeof keyStatuses)[number];

/** What the dead letters of an endpoint, or of one event, say about their cause. */
export const findingKinds = [
  "outage",
  "credentials",
  "rate_limit",
  "slow_accumulation",
  "refused_payload",
  "moved",
  "configuration",
  "poison",
] as const;
export type FindingKind = (typeof findingKinds)[number];

export const alertStates = ["open", "ended"] as const;
export type AlertState = (typeof alertStates)[number];

/** Who a user is to Posthorn. Each of the staff may do what those before them may; an affiliate sees its own alone. */
export const roles = ["affiliate", "support", "ops", "admin"] as const;
export type Role = (typeof roles)[number];

/** Whether somebody can sign in. */
export const userStatuses = ["active", "deactivated"] as const;
export type UserStatus = (typeof userStatuses)[number];

/** Where an invitation stands; an `open` one can be accepted. */
export const invitationStatuses = ["open", "accepted", "expired", "revoked"] as const;
export type InvitationStatus = (typeof invitationStatuses)[number];

/** `console`: whoever sat at the console before there were users; nothing is recorded so any more. */
export const actorKinds = ["api_key", "console", "system", "user"] as const;
export type ActorKind = (typeof actorKinds)[number];

export const keyPurposeLabels = {
  publish: "Publish",
  read: "Read",
  manage: "Manage",
} satisfies Record<KeyPurpose, string>;

export const keyStatusLabels = {
  active: "Active",
  expired: "Expired",
  revoked: "Revoked",
} satisfies Record<KeyStatus, string>;

export const findingKindLabels = {
  outage: "Outage",
  credentials: "Credentials changed",
  rate_limit: "Sent too fast",
  slow_accumulation: "Slow accumulation",
  refused_payload: "Payload refused",
  moved: "Gone or moved",
  configuration: "Configuration broken",
  poison: "One event fails everywhere",
} satisfies Record<FindingKind, string>;

export const alertStateLabels = {
  open: "Open",
  ended: "Ended",
} satisfies Record<AlertState, string>;

/** What each purpose lets a key do, in one sentence. */
export const keyPurposeSentences = {
  publish: "Publishes events, and can do or see nothing else.",
  read: "Reads, searches and previews; changes nothing.",
  manage: "Everything, other keys included.",
} satisfies Record<KeyPurpose, string>;

export const roleLabels = {
  affiliate: "Affiliate",
  support: "Support",
  ops: "Ops",
  admin: "Admin",
} satisfies Record<Role, string>;

export const roleSentences = {
  affiliate: "Sees one affiliate's own endpoints and deliveries, in the portal.",
  support: "Reads everything with values masked, resends one delivery, pauses and resumes endpoints.",
  ops: "Support's rights; also edits endpoints, handles dead letters and breakers.",
  admin: "May do everything.",
} satisfies Record<Role, string>;

export const userStatusLabels = {
  active: "Active",
  deactivated: "Deactivated",
} satisfies Record<UserStatus, string>;

export const invitationStatusLabels = {
  open: "Open",
  accepted: "Accepted",
  expired: "Expired",
  revoked: "Revoked",
} satisfies Record<InvitationStatus, string>;

export const actorKindLabels = {
  api_key: "Any API key",
  console: "Console without sign-in",
  system: "Posthorn itself",
  user: "Any user",
} satisfies Record<ActorKind, string>;

export const endpointKindLabels = {
  webhook: "Webhook",
  postback: "Postback",
} satisfies Record<EndpointKind, string>;

export const deliveryStateLabels = {
  pending: "Waiting",
  in_flight: "In flight",
  failed: "Awaiting retry",
  delivered: "Delivered",
  dead_letter: "Dead letter",
  skipped: "Skipped",
  discarded: "Discarded",
} satisfies Record<DeliveryState, string>;

export const attemptOutcomeLabels = {
  delivered: "Delivered",
  transient: "Failed, may be retried",
  permanent: "Failed for good",
  worker_lost: "Worker lost",
} satisfies Record<AttemptOutcome, string>;

export const outcomeClassLabels = {
  delivered: "Delivered",
  redirect: "Redirect (3xx)",
  client_error: "Refused (4xx)",
  server_error: "Server error (5xx)",
  timeout: "Timeout",
  network: "No connection",
  other: "Other failure",
} satisfies Record<OutcomeClass, string>;

export const statusClassLabels = {
  "2xx": "2xx, success",
  "3xx": "3xx, redirect",
  "4xx": "4xx, refused",
  "5xx": "5xx, their fault",
  none: "No answer",
} satisfies Record<StatusClass, string>;

export const endpointStatusLabels = {
  active: "Active",
  paused: "Paused",
  disabled: "Disabled",
} satisfies Record<EndpointStatus, string>;

export const resumeBarSentences = {
  staff_paused: "Posthorn's operators paused it: ask them to resume it",
  gone: "Its server said that this URL is gone for good: change the URL first",
} satisfies Record<ResumeBar, string>;

export const breakerStateLabels = {
  closed: "Closed",
  open: "Open",
  half_open: "Half open",
} satisfies Record<BreakerState, string>;

export const workerStateLabels = {
  alive: "Alive",
  lost: "Lost",
  stopped: "Stopped",
} satisfies Record<WorkerState, string>;

export const requeueOperationLabels = {
  requeue: "Requeue",
  discard: "Discard",
} satisfies Record<RequeueOperation, string>;

export const requeueModeLabels = {
  same_url: "The same request",
  render_again: "Rendered again",
} satisfies Record<RequeueMode, string>;

export const requeueStateLabels = {
  pending: "Waiting to start",
  running: "Running",
  completed: "Completed",
  cancelled: "Cancelled",
  failed: "Failed",
} satisfies Record<RequeueState, string>;

export const requeueSourceLabels = {
  dead_letter: "Dead letters",
  failed: "Awaiting retry",
  held: "Held",
} satisfies Record<RequeueSource, string>;

/** Why a requeue left deliveries as they were, in one sentence about many. */
export const requeueRefusalSentences = {
  in_flight: "Being sent at that moment",
  already_waiting: "Put back already: waiting to be sent",
  already_ended: "Ended already: delivered, skipped or discarded",
  skipped: "Never to be sent: only a postback can be rendered again",
  cannot_render: "Never rendered: they can only be rendered again",
  body_purged: "The event's data has been purged, so nothing is left to send",
  endpoint_deleted: "Their endpoint has been deleted",
  superseded: "A later delivery of their ordering key has been attempted: they would arrive out of order",
  moved_on: "Changed meanwhile: somebody else sent, put back or discarded them",
} satisfies Record<RequeueRefusal, string>;

export const fieldKindLabels = {
  string: "Text",
  integer: "Whole number",
  decimal: "Decimal number",
  boolean: "True or false",
  timestamp: "Time",
} satisfies Record<FieldKind, string>;

export const invalidDataRuleLabels = {
  refuse: "Refused",
  warn: "Accepted with a warning",
} satisfies Record<InvalidDataRule, string>;

export const orderingLabels = {
  none: "None",
  per_key: "Per key",
  strict: "Strict",
} satisfies Record<Ordering, string>;

/** What each order means, in one sentence. */
export const orderingSentences = {
  none: "Everything goes as soon as it can; a retry may arrive after what came later.",
  per_key: "Of events with the same ordering key, each waits until the one before has ended in any way.",
  strict: "As per key; a dead letter also holds its key until somebody resends or discards it.",
} satisfies Record<Ordering, string>;

/** What moved a breaker, as an entry of its history. */
export const breakerCauseLabels = {
  consecutive_failures: "Too many failures in a row",
  failure_rate: "Half or more of the latest attempts failed",
  probe_started: "A probe was sent",
  probe_succeeded: "The probe succeeded",
  probe_neutral: "The probe was answered, though not with success",
  probe_failed: "The probe failed",
  probe_lost: "The probe was never sent, or its worker was lost",
  held: "Held open by hand",
  reset: "Reset by hand",
  closed_by_hand: "Closed by hand",
  endpoint_changed: "Its URL, headers or secrets were changed",
  resumed: "The endpoint was resumed",
} satisfies Record<BreakerCause, string>;

/** One plain sentence each, about their server or about us; the code stays one step away. */
export const reasonSentences = {
  dns_error: "The name of their server could not be resolved",
  connection_refused: "Their server refused the connection",
  connection_reset: "Their server closed the connection before it answered",
  connection_failed: "No connection to their server could be made",
  tls_failed: "The secure connection was cut off while it was set up",
  certificate_invalid: "Their certificate is not valid",
  timeout: "Their server did not answer completely in time",
  invalid_response: "Their server's answer is not valid HTTP",
  blocked_address: "The address lies in a network that Posthorn may not reach",
  redirect: "Their server answered with a redirect, which is never followed",
  bad_request: "Their server refused the request as malformed",
  unauthorized: "Their server refused our credentials",
  forbidden: "Their server forbids this request",
  not_found: "Their server has nothing at this URL",
  method_not_allowed: "Their server does not take this method at this URL",
  proxy_refused: "A proxy before their server refused our credentials",
  request_timeout: "Their server gave up waiting for the request",
  gone: "Their server says that this URL is gone for good",
  payload_refused: "Their server refused the payload",
  misdirected: "The server that answered is not the one for this URL",
  too_early: "Their server asks to send this later",
  rate_limited: "Their server says that we send too fast",
  client_error: "Their server refused the request",
  server_error: "Their server failed",
  not_supported: "Their server does not support this kind of request",
  rejected_by_response: "Their answer is one that this endpoint's response rules refuse",
  body_purged: "The event's data has been purged, so nothing can be sent",
  worker_lost: "The worker that made this attempt was lost before it could record the answer",
  endpoint_deleted: "The endpoint was deleted before this was sent",
  discarded_by_hand: "Somebody decided that this is not to be sent any more",
  invalid_data: "The event's data lack a required field, or have one of the wrong kind",
  missing_click_id: "The event has no click id, and the template uses one",
  unsafe_path_value: "A value would change the path of the URL: a path segment came out empty, as . or as ..",
  unmapped_value: "The template's functions have no result for a value of this event",
  url_too_long: "The URL came out longer than 8,192 bytes",
  body_too_long: "The body came out longer than 1,048,576 characters",
  secret_missing: "The request was rendered with a secret that the endpoint no longer has",
} satisfies Record<Reason, string>;

/** What to do about a dead letter with this reason; empty where nothing but sending again is left. */
export const reasonRemedies = {
  dns_error: "Check the host name in the endpoint's URL, then resend.",
  connection_refused: "Ask whether their server is up and listening, then resend.",
  connection_reset: "Ask whether their server or its firewall drops requests, then resend.",
  connection_failed: "Ask whether their server can be reached, then resend.",
  tls_failed: "Ask them to check their TLS set-up, then resend.",
  certificate_invalid: "Ask them to renew or correct their certificate, then resend.",
  timeout: "Ask them to answer first and work later, or raise the endpoint's timeout, then resend.",
  invalid_response: "Ask what answers at this URL; it does not speak HTTP correctly.",
  blocked_address: "Use a public address, or have the subnet allowed for this deployment.",
  redirect: "Set the endpoint's URL to the address that the redirect names, then resend.",
  bad_request: "Compare what was sent with what they expect.",
  unauthorized: "The endpoint's credentials have changed: update them, then resend.",
  forbidden: "Ask whether our requests are blocked at their side, then resend.",
  not_found: "Ask for the right URL, update the endpoint, then resend.",
  method_not_allowed: "Ask for a URL that takes POST, update the endpoint, then resend.",
  proxy_refused: "Ask whether a proxy at their side blocks our requests, then resend.",
  request_timeout: "Ask whether their server is overloaded, then resend.",
  gone: "Ask for the new URL, update the endpoint, then resend.",
  payload_refused: "Compare what was sent with what they expect.",
  misdirected: "Ask for the right URL, update the endpoint, then resend.",
  too_early: "Resend later.",
  rate_limited: "Resend later, and more slowly.",
  client_error: "Read their answer below; it usually says what is wrong.",
  server_error: "Ask them to look at their logs at the time of the last attempt, then resend.",
  not_supported: "Ask for a URL that takes a POST with JSON, update the endpoint, then resend.",
  rejected_by_response: "Read their answer below; correct the response rules if it was a success.",
  body_purged: "Publish the event again if it is still wanted.",
  worker_lost: "Resend; if it happens again, look at the workers.",
  endpoint_deleted: "",
  discarded_by_hand: "Resend it if it is wanted after all.",
  invalid_data: "Correct what publishes such events, then publish this one again under a new id.",
  missing_click_id: "Publish the event with its click id, or give {click_id} a default in the template.",
  unsafe_path_value:
    "Give the macro a default or move it into the query of the template, then render this again.",
  unmapped_value: "Add the value to the map in the template, then render this again.",
  url_too_long: "Send fewer or shorter values, or use POST with a body, then render this again.",
  body_too_long: "Send fewer or shorter values in the template, then render this again.",
  secret_missing:
    "Give the endpoint a secret of that name, or render this again with the template as it is now.",
} satisfies Record<Reason, string>;

/** What became of a link into the portal; all but `open` are for good. */
export const portalLinkStatuses = ["open", "used", "expired", "revoked"] as const;
export type PortalLinkStatus = (typeof portalLinkStatuses)[number];

/** What an affiliate's users are told about an endpoint, and the state that it then stands in. */
export const noticeKinds = ["failing", "disabled", "recovered"] as const;
export type NoticeKind = (typeof noticeKinds)[number];

export const noticeChannels = ["email", "webhook"] as const;
export type NoticeChannel = (typeof noticeChannels)[number];

/** `dropped`: whom it was for is gone, or no longer wants it; `failed`: it was tried often enough. */
export const noticeSendStates = ["pending", "sent", "failed", "dropped"] as const;
export type NoticeSendState = (typeof noticeSendStates)[number];

/** What became of a change that needs the operators' approval; all but `pending` are for good. */
export const endpointChangeStates = ["pending", "approved", "refused", "replaced", "withdrawn"] as const;
export type EndpointChangeState = (typeof endpointChangeStates)[number];

export const noticeKindLabels = {
  failing: "Failing",
  disabled: "Disabled",
  recovered: "Recovered",
} satisfies Record<NoticeKind, string>;

export const noticeSendStateLabels = {
  pending: "Being sent",
  sent: "Sent",
  failed: "Could not be sent",
  dropped: "Not sent",
} satisfies Record<NoticeSendState, string>;

export const endpointChangeStateLabels = {
  pending: "Waits for approval",
  approved: "Approved",
  refused: "Refused",
  replaced: "Replaced by a later change",
  withdrawn: "Withdrawn",
} satisfies Record<EndpointChangeState, string>;
