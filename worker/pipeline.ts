import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import type pg from "pg";
import { type Classification, classify } from "#lib/delivery/classify.ts";
import { type Decision, decide } from "#lib/delivery/decide.ts";
import { webhookBody, webhookHeaders } from "#lib/delivery/request.ts";
import { classifyResponse } from "#lib/delivery/response-rules.ts";
import { retryAfterOf } from "#lib/delivery/retry-after.ts";
import { signWebhook } from "#lib/delivery/signature.ts";
import { verdictOf } from "#lib/delivery/verdict.ts";
import type { Sender, Sent } from "#lib/http/send.ts";
import { type ClaimedRow, claim, firstLane } from "#lib/queue/claim.ts";
import { type EndpointSettings, type EventBody, loadForSending } from "#lib/queue/load.ts";
import type { Settlement } from "#lib/queue/settle.ts";
import { suspect } from "#lib/queue/suspect.ts";
import { decryptSecret } from "#lib/secrets.ts";

/**
 * How a delivery is made: claim -> send -> classify -> settle. Each stage's type carries the one before, so that
 * none can be left out. The runner beside this file decides when; what happens to one delivery is all here.
 */
export type Claimed = { row: ClaimedRow; endpoint: EndpointSettings; event: EventBody | null };
type SentDelivery = Claimed & { startedAtMs: number; answer: Sent };
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
  const signingKey = createKeyCache(options.secretKeys);
  const ownHeaders = createHeaderCache(options.secretKeys);
  let cursor = firstLane;
  /** The database's clock less our monotonic one: a wrong wall clock of this machine signs no wrong time. */
  let databaseOffsetMs = 0;

  async function claimBatch(options: { want: number; leaseToken: string; workersAlive: number }) {
    const startedFrom = cursor;
    const batch = await claim(pool, { ...options, after: cursor, workerId });
    databaseOffsetMs = batch.databaseNowMs - performance.now();
    cursor = batch.cursor ?? firstLane;
    const exhausted = startedFrom === firstLane && batch.cursor === null && batch.rows.length < options.want;
    if (batch.rows.length === 0) return { claimed: [], exhausted };
    const { endpoints, bodies } = await loadForSending(pool, batch.rows);
    const claimed = batch.rows.map((row) => {
      const endpoint = endpoints.get(row.endpointId);
      if (!endpoint) throw new Error(`delivery ${row.id} names an endpoint that does not exist`);
      return { row, endpoint, event: bodies.get(row.eventId) ?? null };
    });
    return { claimed, exhausted };
  }

  async function send(claimed: Claimed): Promise<SentDelivery> {
    const startedAtMs = performance.now() + databaseOffsetMs;
    const { row, endpoint, event } = claimed;
    if (!event) return { ...claimed, startedAtMs, answer: nothingToSend };
    const body = webhookBody(event);
    const timestampSeconds = Math.floor(startedAtMs / 1_000);
    const signature = signWebhook({ id: event.id, timestampSeconds, body }, endpoint.secrets.map(signingKey));
    const headers = webhookHeaders({
      eventId: event.id,
      timestampSeconds,
      signature,
      attemptNumber: row.attemptNumber,
    });
    headers.push(...ownHeaders(endpoint));
    const { url, timeoutMs } = endpoint;
    return {
      ...claimed,
      startedAtMs,
      answer: await sender.send({ method: "POST", url, headers, body, timeoutMs }),
    };
  }

  function settlementOf(sent: ClassifiedDelivery, decision: Decision): Settlement {
    const { row, endpoint, answer, classification } = sent;
    return {
      deliveryId: row.id,
      leaseToken: row.leaseToken,
      endpointId: row.endpointId,
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
      url: endpoint.url,
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

/** Of an attempt without a request: the event's data is gone, so none can be made, and none ever will. */
export const bodyPurgedCode = "POSTHORN_BODY_PURGED";

const nothingToSend: Sent = {
  ok: false,
  errorCode: bodyPurgedCode,
  errorDetail: "",
  timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 0 },
};

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

const cacheSize = 10_000;

/** A secret's row never changes, so its key can be kept by its id; a revoked one is simply not asked for again. */
function createKeyCache(
  secretKeys: readonly Buffer[],
): (secret: { id: string; ciphertext: Buffer }) => KeyObject {
  const keys = new Map<string, KeyObject>();
  return ({ id, ciphertext }) => {
    const known = keys.get(id);
    if (known) return known;
    if (keys.size >= cacheSize) keys.clear();
    const key = createSecretKey(decryptSecret(ciphertext, { keys: secretKeys, context: id }));
    keys.set(id, key);
    return key;
  };
}

type OwnHeaders = Pick<EndpointSettings, "id" | "headerNames" | "headerValues">;

/** An endpoint's own headers, names and values alternating; decrypted again when their ciphertext is another one. */
function createHeaderCache(secretKeys: readonly Buffer[]): (endpoint: OwnHeaders) => readonly string[] {
  const cache = new Map<string, { ciphertext: Buffer; headers: string[] }>();
  return ({ id, headerNames, headerValues: ciphertext }) => {
    if (ciphertext === null) return [];
    const known = cache.get(id);
    if (known?.ciphertext.equals(ciphertext)) return known.headers;
    if (cache.size >= cacheSize) cache.clear();
    const values: string[] = JSON.parse(
      decryptSecret(ciphertext, { keys: secretKeys, context: id }).toString(),
    );
    const headers = headerNames.flatMap((name, i) => [name, values[i] as string]);
    cache.set(id, { ciphertext, headers });
    return headers;
  };
}
