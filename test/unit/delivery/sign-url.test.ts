import { createHmac, createSecretKey } from "node:crypto";
import { expect, test } from "vitest";
import { signUrl } from "#lib/delivery/signature.ts";

const key = Buffer.from("s3cr3t");
const hmac = (text: string) => createHmac("sha256", "s3cr3t").update(text).digest("hex");

test.each([
  ["https://t.example/p?a=1", "&"],
  ["https://t.example/p", "?"],
  ["https://t.example/p?", "&"],
])("signs %s exactly as it is, and joins with %s", (url, joint) => {
  expect(signUrl(url, key)).toBe(`${url}${joint}sig=${hmac(url)}`);
  expect(signUrl(url, createSecretKey(key))).toBe(signUrl(url, key));
});
