import { randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import type pg from "pg";
import { type Classification, classify } from "#lib/delivery/classify.ts";
import { type Decision, decide } from "#lib/delivery/decide.ts";
import { classifyResponse } from "#lib/delivery/response-rules.ts";
import { retryAfterOf } from "#lib/delivery/retry-after.ts";
import { verdictOf } from "#lib/delivery/verdict.ts";
import { createRequestMaker } from "#lib/http/attempt-request.ts";
import type { Sender, Sent } from "#lib/http/send.ts";
import { type ClaimedRow, claim, firstLane } from "#lib/queue/claim.ts";
import { type Content, type EndpointSettings, loadForSending } from "#lib/queue/load.ts";
import type { Settlement } from "#lib/queue/settle.ts";
import { suspect } from "#lib/queue/suspect.ts";

/**
 * How a delivery is made: claim -> send -> classify -> settle. Each stage's type carries the one before, so that
 * none can be left out. The runner beside this file decides when; what happens to one delivery is all here.
 */
export type Claimed = {
  row: ClaimedRow;
  endpoint: EndpointSettings;
  content: Content | null;
  /** By `performance.now()`: not after it was claimed. */
  claimedAtMs: number;
};
/** `url` as it may be shown: secrets in it are macros. */
type SentDelivery = Claimed & { startedAtMs: number; url: string; answer: Sent };
type ClassifiedDelivery = SentDelivery & { classification: Classification; retryAfterMs: number | null };

export type Pipeline = {
  /** Leases up to `want` deliveries. `exhausted`: one look at all endpoints found nothing more that may go now. */
  claim: (options: {
    want: number;
    leaseToken: string;
    workersAlive: number;
  }) => Promise<{ claimed: Claimed[]; exhausted: boolean }>;
  /**
   * Makes the attempt; null when the lease was found to be somebody else's. Rejects only for faults of ours before
   * anything was sent.
   */
  deliver: (claimed: Claimed) => Promise<Settlement | null>;
};

export function createPipeline(options: {
  pool: pg.Pool;
  workerId: string;
  sender: Sender;
  /** The current key, then those before it. */
  secretKeys: readonly Buffer[];
  random?: () => number;
}): Pipeline {
  const { pool, workerId, sender, random = Math.random } = options;
  const makeRequest = createRequestMaker(options.secretKeys);
  let cursor = firstLane;
  /** The database's clock less our monotonic one: a wrong wall clock of this machine signs no wrong time. */
  let databaseOffsetMs = 0;

  async function claimBatch(options: { want: number; leaseToken: string; workersAlive: number }) {
    const startedFrom = cursor;
    const claimedAtMs = performance.now();
    const batch = await claim(pool, { ...options, after: cursor, workerId });
    databaseOffsetMs = batch.databaseNowMs - performance.now();
    cursor = batch.cursor ?? firstLane;
    const exhausted = startedFrom === firstLane && batch.cursor === null && batch.rows.length < options.want;
    if (batch.rows.length === 0) return { claimed: [], exhausted };
    const { endpoints, contentOf } = await loadForSending(pool, batch.rows);
    const claimed = batch.rows.map((row) => {
      const endpoint = endpoints.get(row.endpointId);
      if (!endpoint) throw new Error(`delivery ${row.id} names an endpoint that does not exist`);
      return { row, endpoint, content: contentOf(row), claimedAtMs };
    });
    return { claimed, exhausted };
  }

  async function send(claimed: Claimed): Promise<SentDelivery> {
    const startedAtMs = performance.now() + databaseOffsetMs;
    const made = makeRequest({
      ...claimed,
      eventId: claimed.row.eventId,
      attemptNumber: claimed.row.attemptNumber,
      timestampSeconds: Math.floor(startedAtMs / 1_000),
    });
    if ("errorCode" in made) {
      return { ...claimed, startedAtMs, url: made.shownUrl, answer: notSent(made.errorCode) };
    }
    const { shownUrl, ...request } = made;
    const answer = await sender.send({ ...request, timeoutMs: claimed.endpoint.timeoutMs });
    return { ...claimed, startedAtMs, url: shownUrl, answer };
  }

  function settlementOf(sent: ClassifiedDelivery, decision: Decision): Settlement {
    const { row, endpoint, answer, classification } = sent;
    return {
      deliveryId: row.id,
      leaseToken: row.leaseToken,
      endpointId: row.endpointId,
      affiliateId: endpoint.affiliateId,
      ordered: row.ordered,
      attemptNumber: row.attemptNumber,
      state: decision.state,
      outcome: classification.outcome,
      attemptReason: classification.reason,
      reason: decision.reason,
      delayMs: decision.state === "failed" ? decision.delayMs : null,
      verdict: verdictOf(classification),
      breakerEpoch: row.breakerEpoch,
      endpointWasSound: row.endpointWasSound,
      retryAfterMs: sent.retryAfterMs,
      startedAtMs: sent.startedAtMs,
      status: answer.status ?? null,
      errorCode: answer.ok ? null : answer.errorCode,
      dnsMs: answer.timings.dnsMs,
      connectMs: answer.timings.connectMs,
      tlsMs: answer.timings.tlsMs,
      firstByteMs: answer.timings.firstByteMs,
      durationMs: answer.timings.totalMs,
      url: sent.url,
      responseHeaders: answer.ok ? JSON.stringify(answer.headers) : null,
      responseBody: answer.ok ? answer.body : null,
      responseTruncated: answer.ok && answer.bodyTruncated,
    };
  }

  async function deliver(claimed: Claimed): Promise<Settlement | null> {
    const { id: deliveryId, leaseToken, lostBefore } = claimed.row;
    if (lostBefore && !(await suspect(pool, { deliveryId, leaseToken }))) return null;
    const sent = await send(claimed);
    const classified = { ...sent, classification: classifySent(sent), retryAfterMs: askedToWaitMs(sent) };
    const decision = decide(
      classified.classification,
      {
        ...claimed.endpoint,
        attemptsCharged: claimed.row.attemptsCharged,
        deliveredBefore: claimed.row.deliveredBefore,
        retryAfterMs: classified.retryAfterMs ?? 0,
      },
      random(),
    );
    return settlementOf(classified, decision);
  }

  return { claim: claimBatch, deliver };
}

/** No request can be made, and none ever will. */
function notSent(errorCode: string): Sent {
  const timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 0 };
  return { ok: false, errorCode, errorDetail: "", timings };
}

function classifySent({ answer, endpoint }: SentDelivery): Classification {
  return answer.ok
    ? classifyResponse(answer, endpoint.responseRules)
    : classify({ errorCode: answer.errorCode });
}

function askedToWaitMs({ answer, startedAtMs }: SentDelivery): number | null {
  return answer.ok ? (retryAfterOf(answer, startedAtMs + answer.timings.totalMs)?.delayMs ?? null) : null;
}

/** 62 random bits as a decimal string: a positive bigint that no two claims share. */
export function newLeaseToken(): string {
  return (randomBytes(8).readBigUInt64BE() >> 2n).toString();
}
