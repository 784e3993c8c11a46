import { z } from "zod";
import { type AffiliateRef, affiliateKey } from "#lib/affiliates/schema.ts";
import { pageQuery } from "#lib/api/paging.ts";
import { plainText } from "#lib/api/text.ts";
import { isoTime } from "#lib/api/time.ts";
import type { ActorKind } from "#lib/vocabulary.ts";
import { type AuditAction, type AuditObjectKind, auditActions, auditObjectKinds } from "./actions.ts";

export const auditEntryId = z.string().regex(/^[1-9][0-9]{0,17}$/, "must be an entry's id");

const filters = {
  action: z.enum(auditActions).optional(),
  object_kind: z.enum(auditObjectKinds).optional(),
  object_id: plainText().min(1).max(200).optional(),
  /** `user`, `api_key`, `system`, `console`, or the id of one user or API key. */
  actor: plainText().min(1).max(200).optional(),
  affiliate: affiliateKey.optional(),
  /** From this time on, and before that one. */
  from: isoTime.optional(),
  to: isoTime.optional(),
};

export const auditFilters = z.object(filters);
export type AuditFilters = z.infer<typeof auditFilters>;

export const auditListQuery = pageQuery.extend(filters);
export type AuditListQuery = z.infer<typeof auditListQuery>;

/** One thing that somebody did. */
export type AuditEntry = {
  id: string;
  at: string;
  actor: { kind: ActorKind; id: string | null; name: string };
  /** Where the call came from; null where nobody called, and for what was recorded before it was kept. */
  from: { address: string | null; user_agent: string | null };
  action: AuditAction;
  /** `name` is what it is called today, where it has a name beside its id. */
  object: { kind: AuditObjectKind; id: string; name: string | null };
  affiliate: AffiliateRef | null;
  /** The fields that changed, and never a secret. */
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
};
