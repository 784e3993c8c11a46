import { createHmac, type KeyObject } from "node:crypto";

/**
 * The value of `webhook-signature` (Standard Webhooks, "Symmetric"): `v1,` and the base64 HMAC-SHA256 of
 * `id.timestamp.body`, one for each key, separated by spaces.
 * Keys are KeyObjects and not buffers: 2 us instead of 13 for each signature.
 */
export function signWebhook(
  message: { id: string; timestampSeconds: number; body: Buffer },
  keys: readonly KeyObject[],
): string {
  const prefix = `${message.id}.${message.timestampSeconds}.`;
  return keys
    .map((key) => `v1,${createHmac("sha256", key).update(prefix).update(message.body).digest("base64")}`)
    .join(" ");
}
