import { z } from "zod";
import { type AffiliateRef, affiliateKey } from "#lib/affiliates/schema.ts";
import { pageQuery } from "#lib/api/paging.ts";
import { plainText } from "#lib/api/text.ts";
import { type KeyPurpose, type KeyStatus, keyPurposes, keyStatuses } from "#lib/vocabulary.ts";

export const apiKeyCreate = z
  .strictObject({
    name: plainText().trim().min(1).max(200),
    purpose: z.enum(keyPurposes),
    /** Limits a key to read with to what is this affiliate's. */
    affiliate: affiliateKey.nullable().default(null),
    expires_at: z.iso
      .datetime({ offset: true, error: "must be an ISO 8601 time with a zone, such as 2026-01-31T12:00:00Z" })
      .nullable()
      .default(null),
  })
  .refine(({ purpose, affiliate }) => purpose === "read" || affiliate === null, {
    path: ["affiliate"],
    error: "is for keys with the purpose read",
  });
export type ApiKeyCreate = z.infer<typeof apiKeyCreate>;

export const apiKeyListQuery = pageQuery.extend({
  /** In its name or prefix, or its whole id. */
  q: plainText().trim().max(200).optional(),
  purpose: z.enum(keyPurposes).optional(),
  status: z.enum(keyStatuses).optional(),
  affiliate: affiliateKey.optional(),
});
export type ApiKeyListQuery = z.infer<typeof apiKeyListQuery>;

/** Without the key itself, of which only the hash is kept. */
export type ApiKey = {
  id: string;
  name: string;
  purpose: KeyPurpose;
  affiliate: AffiliateRef | null;
  /** Its first characters. */
  prefix: string;
  status: KeyStatus;
  created_at: string;
  created_by: string;
  expires_at: string | null;
  /** To the minute. */
  last_used_at: string | null;
  revoked_at: string | null;
};

/** `key` is answered this once. */
export type ApiKeyCreated = ApiKey & { key: string };
