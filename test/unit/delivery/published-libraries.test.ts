import { createSecretKey } from "node:crypto";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { describe, expect, test } from "vitest";
import { webhookBody, webhookHeaders } from "#lib/delivery/request.ts";
import { signWebhook } from "#lib/delivery/signature.ts";
import { formatSigningSecret } from "#lib/secrets.ts";

/** What receivers verify with. Both throw when the signature does not cover the bytes that they are given. */
const libraries = { standardwebhooks: StandardWebhook, svix: SvixWebhook };

const [old, current, other] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer];

function attempt(data: string, secrets: Buffer[]) {
  const id = "evt_1";
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const body = webhookBody({ id, type: "ftd", occurredAt: new Date(), data: Buffer.from(data) });
  const keys = secrets.map((secret) => createSecretKey(secret));
  const signature = signWebhook({ id, timestampSeconds, body }, keys);
  const list = webhookHeaders({ eventId: id, timestampSeconds, signature, attemptNumber: 1 });
  const headers = Object.fromEntries(
    list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1] as string]] : [])),
  );
  return { payload: body.toString("utf8"), headers };
}

const bodies = {
  emoji: '{"e":"🎰 é e\u0301 \u2028"}',
  "line ends": '{\r\n  "a": "b\\r\\n"\r\n}',
  "a byte order mark in a string": '{"bom":"\ufeff"}',
  "big integers and odd numbers": '{"id":9007199254740993,"v":1.0,"x":1e400}',
};

describe.each(Object.entries(libraries))("%s", (_name, Webhook) => {
  const verify = (secret: Buffer, { payload, headers }: ReturnType<typeof attempt>) =>
    new Webhook(formatSigningSecret(secret)).verify(payload, headers);

  test.each(Object.entries(bodies))("verifies %s", (_what, data) => {
    expect(() => verify(current, attempt(data, [current]))).not.toThrow();
  });

  test("verifies with either secret while both are valid, and with no other", () => {
    const rotated = attempt("{}", [current, old]);
    expect(() => verify(current, rotated)).not.toThrow();
    expect(() => verify(old, rotated)).not.toThrow();
    expect(() => verify(other, rotated)).toThrow();
    expect(() => verify(old, attempt("{}", [current]))).toThrow();
  });

  test("refuses a body that was changed by a byte", () => {
    const sent = attempt('{"payout":"25.00"}', [current]);
    expect(() => verify(current, { ...sent, payload: sent.payload.replace("25.00", "25.01") })).toThrow();
  });
});
