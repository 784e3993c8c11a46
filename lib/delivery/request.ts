/** The version that travels in `User-Agent`. */
export const version = "0.1.0";

/**
 * The exact bytes of a webhook's body: the envelope of product.md around `data` as it was received.
 * The id and the type are safe inside a JSON string by their own rules, and are ASCII.
 */
export function webhookBody(event: { id: string; type: string; occurredAt: Date; data: Buffer }): Buffer {
  const head = `{"id":"${event.id}","type":"${event.type}","timestamp":"${event.occurredAt.toISOString()}","data":`;
  const body = Buffer.allocUnsafe(head.length + event.data.length + 1);
  body.write(head, 0, "latin1");
  event.data.copy(body, head.length);
  body[body.length - 1] = closingBrace;
  return body;
}

const closingBrace = 0x7d;

/** Headers of one attempt, names and values alternating. `host` and `content-length` are the sender's. */
export function webhookHeaders(attempt: {
  eventId: string;
  timestampSeconds: number;
  signature: string;
  attemptNumber: number;
}): string[] {
  return [
    "content-type",
    "application/json",
    "user-agent",
    `Posthorn/${version}`,
    "webhook-id",
    attempt.eventId,
    "webhook-timestamp",
    String(attempt.timestampSeconds),
    "webhook-signature",
    attempt.signature,
    "posthorn-attempt",
    String(attempt.attemptNumber),
  ];
}

/** Headers of one attempt at a postback, names and values alternating. `contentType` null: it has no body. */
export function postbackHeaders(attempt: {
  eventId: string;
  attemptNumber: number;
  contentType: string | null;
}): string[] {
  return [
    ...(attempt.contentType === null ? [] : ["content-type", attempt.contentType]),
    "user-agent",
    `Posthorn/${version}`,
    "webhook-id",
    attempt.eventId,
    "posthorn-attempt",
    String(attempt.attemptNumber),
  ];
}
