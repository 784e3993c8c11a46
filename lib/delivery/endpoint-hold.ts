import type { Verdict } from "./verdict.ts";

/**
 * How long a whole endpoint is left alone because it said that we send too fast. `heldUntilMs` null: it never
 * was, or not since this was last stored; a time that is past holds nothing.
 */
export type EndpointHold = { heldUntilMs: number | null; rateLimitedInARow: number };

/** What one answer says about the endpoint's hold. `startedAtMs`: when its request was made. */
export type HoldResult = {
  verdict: Verdict;
  status: number | null;
  /** Of Retry-After, already limited to answers that may carry it; null when it was absent. */
  retryAfterMs: number | null;
  startedAtMs: number;
};

export const noHold: EndpointHold = { heldUntilMs: null, rateLimitedInARow: 0 };

const retryAfterHoldCapMs = 3_600_000;
const firstHoldMs = 5_000;
const holdCapMs = 300_000;

/**
 * The hold after a batch of answers, in the order they came (product.md, "after 429 or 503 with Retry-After"):
 * as long as Retry-After says, an hour at most; for a 429 without it 5 s, doubling to 5 min with every 429 in a
 * row, until a success. Of requests that were under way together only the first 429 counts: the others say
 * nothing that the hold does not answer already.
 */
export function settleHold(hold: EndpointHold, results: readonly HoldResult[], nowMs: number): EndpointHold {
  let { heldUntilMs, rateLimitedInARow } = hold;
  for (const { verdict, status, retryAfterMs, startedAtMs } of results) {
    if (verdict === "success") rateLimitedInARow = 0;
    const underWay = startedAtMs < (heldUntilMs ?? 0);
    const counts = status === 429 && !underWay;
    if (counts) rateLimitedInARow += 1;
    if (retryAfterMs !== null) {
      heldUntilMs = Math.max(heldUntilMs ?? 0, nowMs + Math.min(retryAfterMs, retryAfterHoldCapMs));
    } else if (counts) {
      heldUntilMs = nowMs + Math.min(firstHoldMs * 2 ** (rateLimitedInARow - 1), holdCapMs);
    }
  }
  return { heldUntilMs, rateLimitedInARow };
}
