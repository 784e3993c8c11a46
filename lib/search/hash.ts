import { createHmac, createSecretKey, hkdfSync } from "node:crypto";

const hashBytes = 16;

/** From the exact text of a value to what stands for it in search_keys. */
export type SearchHasher = (value: string) => Buffer;

/**
 * HMAC-SHA256 of the value alone, cut to 16 bytes, under a key derived from POSTHORN_SECRET_KEY (HKDF, RFC 5869): without
 * that key nobody can try values against the index, and the index tells nothing of what else the key encrypts.
 */
export function createSearchHasher(secretKey: Buffer): SearchHasher {
  const derived = hkdfSync("sha256", secretKey, Buffer.alloc(0), "posthorn search keys", 32);
  const key = createSecretKey(Buffer.from(derived));
  return (value) => createHmac("sha256", key).update(value).digest().subarray(0, hashBytes);
}

/** What stands for the value in a URL. `secretKeys`: the current one, then those that older events were stored with. */
export function searchHash(value: string, secretKeys: readonly Buffer[]): string {
  return secretKeys.map((secretKey) => createSearchHasher(secretKey)(value).toString("hex")).join("");
}
