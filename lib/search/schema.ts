import { z } from "zod";
import { plainText } from "#lib/api/text.ts";
import { maxSearchableLength } from "./limits.ts";

/** Exact, so nothing is trimmed. */
export const searchedValue = plainText().min(1).max(maxSearchableLength);

const hashDigits = 32;
const maxHashes = 32;

/** What stands for a searched value in a URL: its hash by each secret key that it may have been stored with. */
export const searchedHash = z
  .string()
  .regex(
    new RegExp(`^(?:[0-9a-f]{${hashDigits}}){1,${maxHashes}}$`),
    "must be the hash that a search answered",
  );

/** The hashes that a searched hash is made of, in hexadecimal digits. */
export function hashesIn(hash: string): string[] {
  return hash.match(new RegExp(`.{${hashDigits}}`, "g")) ?? [];
}
