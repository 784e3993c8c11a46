import { createHash, randomBytes } from "node:crypto";

/** What whoever holds a link shows: 32 random bytes, 43 characters of base64url. */
export function makeLinkToken(): string {
  return randomBytes(32).toString("base64url");
}

/** What is kept of it, so that who reads the table can use none. */
export function hashLinkToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
