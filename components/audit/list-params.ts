import { createLoader, type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { type AuditObjectKind, auditActions, auditObjectKinds } from "#lib/audit/actions.ts";
import type { AuditListFilters } from "#lib/audit/client.ts";

/** The list's place in the URL, read alike on the server and in the browser. */
export const auditParams = {
  action: parseAsStringLiteral(auditActions),
  object_kind: parseAsStringLiteral(auditObjectKinds),
  object_id: parseAsString,
  actor: parseAsString,
  affiliate: parseAsString,
  from: parseAsString,
  to: parseAsString,
  cursor: parseAsString,
};
export const loadAuditParams = createLoader(auditParams);

export function auditFilters(params: inferParserType<typeof auditParams>): AuditListFilters {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
}

/** What the page of an object shows of its entries. */
export function latestEntries(kind: AuditObjectKind, id: string): AuditListFilters {
  return { object_kind: kind, object_id: id, limit: 10 };
}
