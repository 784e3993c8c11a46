/** How a receiver verifies what it was sent; every sample is run against a real delivery by the tests. */
export type VerifySample = { id: string; language: string; note: string; code: string };

const typescript = `import { Webhook } from "standardwebhooks";

/** Throws unless the request is from us. body: the text exactly as it came, before any JSON parser. */
export function verify(body: string, headers: Record<string, string>): unknown {
  return new Webhook(process.env.POSTHORN_SECRET ?? "").verify(body, headers);
}
`;

const python = `import base64, hashlib, hmac, os, time


def verify(body: bytes, headers) -> None:
    """Raises ValueError unless the request is from us. body: the bytes exactly as they came."""
    secret = base64.b64decode(os.environ["POSTHORN_SECRET"].removeprefix("whsec_"))
    event_id, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    if abs(time.time() - int(timestamp)) > 300:
        raise ValueError("the request is too old")
    signed = f"{event_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest())
    given = headers["webhook-signature"].encode().split(b" ")
    if not any(hmac.compare_digest(expected, one) for one in given):
        raise ValueError("no signature fits")
`;

const php = `<?php
/** Throws unless the request is from us. $body: the bytes exactly as they came, of php://input. */
function verify(string $body, array $headers): void
{
    $secret = base64_decode(substr(getenv('POSTHORN_SECRET'), strlen('whsec_')));
    $id = $headers['webhook-id'];
    $timestamp = $headers['webhook-timestamp'];
    if (abs(time() - (int) $timestamp) > 300) {
        throw new Exception('the request is too old');
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $secret, true));
    foreach (explode(' ', $headers['webhook-signature']) as $given) {
        if (hash_equals($expected, $given)) {
            return;
        }
    }
    throw new Exception('no signature fits');
}
`;

const go = `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// Verify fails unless the request is from us. body: the bytes exactly as they came.
func Verify(body []byte, headers http.Header) error {
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("POSTHORN_SECRET"), "whsec_"))
	if err != nil {
		return err
	}
	timestamp := headers.Get("webhook-timestamp")
	sentAt, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return err
	}
	if age := time.Since(time.Unix(sentAt, 0)).Abs(); age > 5*time.Minute {
		return errors.New("the request is too old")
	}
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "%s.%s.", headers.Get("webhook-id"), timestamp)
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, given := range strings.Split(headers.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(expected), []byte(given)) {
			return nil
		}
	}
	return errors.New("no signature fits")
}
`;

const shell = `key=$(printf %s "\${POSTHORN_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')
expected=$({ printf '%s.%s.' "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP"; cat body.json; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
printf '%s\\n' $WEBHOOK_SIGNATURE | grep -qxF "v1,$expected" && echo 'The signature fits'
`;

/** Of a webhook: its headers and the exact bytes of its body. */
export const verifySamples: readonly VerifySample[] = [
  {
    id: "typescript",
    language: "TypeScript",
    note: "With the package standardwebhooks, which also refuses what is older than 5 minutes.",
    code: typescript,
  },
  {
    id: "python",
    language: "Python",
    note: "From 3.9 on, without a package. The names of the headers are in lower case here.",
    code: python,
  },
  {
    id: "php",
    language: "PHP",
    note: "From 8.0 on. The names of the headers are in lower case here: array_change_key_case(getallheaders()).",
    code: php,
  },
  { id: "go", language: "Go", note: "With the standard library alone.", code: go },
  {
    id: "shell",
    language: "Shell",
    note: "To look at a request by hand: the headers in WEBHOOK_ID, WEBHOOK_TIMESTAMP and WEBHOOK_SIGNATURE, the body exactly as it came in body.json.",
    code: shell,
  },
];

/** Of a postback whose URL is signed. */
export const urlSample: VerifySample = {
  id: "url",
  language: "TypeScript",
  note: "url is the whole URL exactly as it was requested, with scheme and host.",
  code: `import { createHmac, timingSafeEqual } from "node:crypto";

/** Whether a signed postback is from us. */
export function isFromUs(url: string): boolean {
  const [, signed, given] = /^(.*)[?&]sig=([0-9a-f]{64})$/.exec(url) ?? [];
  if (signed === undefined || given === undefined) return false;
  const secret = Buffer.from((process.env.POSTHORN_SECRET ?? "").slice("whsec_".length), "base64");
  const expected = createHmac("sha256", secret).update(signed).digest();
  return timingSafeEqual(expected, Buffer.from(given, "hex"));
}
`,
};
