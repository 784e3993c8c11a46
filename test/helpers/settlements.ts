import type { ClaimedRow } from "#lib/queue/claim.ts";
import type { Settlement } from "#lib/queue/settle.ts";

/** What a worker would settle for a claimed row: a success that took a millisecond, but for `change`. */
export function resultOf(row: ClaimedRow, change: Partial<Settlement> = {}): Settlement {
  return {
    deliveryId: row.id,
    leaseToken: row.leaseToken,
    endpointId: row.endpointId,
    affiliateId: "01890a5d-ac96-774b-bcce-b302099a8057",
    attemptNumber: row.attemptNumber,
    ordered: row.ordered,
    breakerEpoch: row.breakerEpoch,
    endpointWasSound: row.endpointWasSound,
    state: "delivered",
    outcome: "delivered",
    verdict: "success",
    attemptReason: null,
    reason: null,
    delayMs: null,
    retryAfterMs: null,
    startedAtMs: Date.now(),
    status: 200,
    errorCode: null,
    dnsMs: null,
    connectMs: null,
    tlsMs: null,
    firstByteMs: null,
    durationMs: 1,
    url: "http://127.0.0.1:9/",
    responseHeaders: null,
    responseBody: null,
    responseTruncated: false,
    ...change,
  };
}

/** A failure that is tried again at once. */
export const failed = {
  state: "failed",
  outcome: "transient",
  verdict: "failure",
  attemptReason: "server_error",
  reason: "server_error",
  delayMs: 0,
  status: 500,
} as const satisfies Partial<Settlement>;

/** A 410: a dead letter at once, and the endpoint is disabled. */
export const gone = {
  state: "dead_letter",
  outcome: "permanent",
  verdict: "failure",
  attemptReason: "gone",
  reason: "gone",
  delayMs: null,
  status: 410,
} as const satisfies Partial<Settlement>;

/** A refused payload: a dead letter at once, and no sign of a broken endpoint. */
export const refused = {
  state: "dead_letter",
  outcome: "permanent",
  verdict: "neutral",
  attemptReason: "bad_request",
  reason: "bad_request",
  delayMs: null,
  status: 400,
} as const satisfies Partial<Settlement>;
