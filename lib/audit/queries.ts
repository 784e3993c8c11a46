import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { affiliates, apiKeys, auditLog, endpoints, users } from "#drizzle/schema/index.ts";
import { narrowedTo } from "#lib/affiliates/queries.ts";
import { keyset } from "#lib/api/keyset.ts";
import type { Page } from "#lib/api/paging.ts";
import type { Orm } from "#lib/db/database.ts";
import { actorKinds } from "#lib/vocabulary.ts";
import type { AuditAction, AuditObjectKind } from "./actions.ts";
import { type AuditEntry, type AuditFilters, type AuditListQuery, auditEntryId } from "./schema.ts";

const columns = {
  entry: auditLog,
  affiliate: { id: affiliates.id, key: affiliates.key, name: affiliates.name },
  endpointName: endpoints.name,
  apiKeyName: apiKeys.name,
  userName: users.name,
};
type Row = {
  entry: typeof auditLog.$inferSelect;
  affiliate: AuditEntry["affiliate"];
  endpointName: string | null;
  apiKeyName: string | null;
  userName: string | null;
};

/** One page, latest first, along the primary key or the index of the filter that finds least. */
export async function selectAuditEntries(orm: Orm, query: AuditListQuery): Promise<Page<AuditEntry>> {
  const list = keyset(query, { columns: [auditLog.id], key: z.tuple([auditEntryId]), order: "descending" });
  const rows = await orm
    .select(columns)
    .from(auditLog)
    .leftJoin(affiliates, eq(affiliates.id, auditLog.affiliateId))
    .leftJoin(endpoints, sql`${endpoints.id} = ${objectIdOf("endpoint")}`)
    .leftJoin(apiKeys, sql`${apiKeys.id} = ${objectIdOf("api_key")}`)
    .leftJoin(users, sql`${users.id} = ${objectIdOf("user")}`)
    .where(and(...conditions(query), list.where))
    .orderBy(list.orderBy)
    .limit(list.fetch);
  return list.page(rows, { key: ({ entry }) => [String(entry.id)], item: toEntry });
}

function conditions(query: AuditFilters): (SQL | undefined)[] {
  const { action, object_kind, object_id, actor, from, to } = query;
  const affiliate = narrowedTo({ key: query.affiliate, scope: null });
  const kind = actorKinds.find((candidate) => candidate === actor);
  return [
    action && eq(auditLog.action, action),
    object_kind && eq(auditLog.objectKind, object_kind),
    object_id === undefined ? undefined : eq(auditLog.objectId, object_id),
    kind ? eq(auditLog.actorKind, kind) : actor === undefined ? undefined : eq(auditLog.actorId, actor),
    affiliate && sql`${auditLog.affiliateId} = ${affiliate}`,
    from === undefined ? undefined : gte(auditLog.at, new Date(from)),
    to === undefined ? undefined : lt(auditLog.at, new Date(to)),
  ];
}

/** The object's id as a key of its table; null for objects of other kinds, whose ids are no UUIDs. */
function objectIdOf(kind: AuditObjectKind): SQL {
  return sql`case when ${auditLog.objectKind} = ${sql.raw(`'${kind}'`)} then ${auditLog.objectId}::uuid end`;
}

function toEntry({ entry, affiliate, endpointName, apiKeyName, userName }: Row): AuditEntry {
  const kind = entry.objectKind as AuditObjectKind;
  const names: Partial<Record<AuditObjectKind, string | null>> = {
    affiliate: affiliate?.name ?? null,
    api_key: apiKeyName,
    endpoint: endpointName,
    user: userName,
  };
  return {
    id: String(entry.id),
    at: entry.at.toISOString(),
    actor: { kind: entry.actorKind, id: entry.actorId, name: entry.actorName },
    from: { address: entry.address, user_agent: entry.userAgent },
    action: entry.action as AuditAction,
    object: { kind, id: entry.objectId, name: names[kind] ?? null },
    affiliate,
    before: entry.before as AuditEntry["before"],
    after: entry.after as AuditEntry["after"],
  };
}
