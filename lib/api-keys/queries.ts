import { and, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { affiliates, apiKeys } from "#drizzle/schema/index.ts";
import { narrowedTo } from "#lib/affiliates/queries.ts";
import { keyset } from "#lib/api/keyset.ts";
import type { Page } from "#lib/api/paging.ts";
import { contains } from "#lib/api/search.ts";
import type { Orm } from "#lib/db/database.ts";
import type { KeyPurpose, KeyStatus } from "#lib/vocabulary.ts";
import type { ApiKey, ApiKeyListQuery } from "./schema.ts";

const status = sql<KeyStatus>`case when ${apiKeys.revokedAt} is not null then 'revoked'
  when ${apiKeys.expiresAt} <= now() then 'expired' else 'active' end`;

const columns = {
  id: apiKeys.id,
  name: apiKeys.name,
  purpose: apiKeys.purpose,
  prefix: apiKeys.prefix,
  status,
  createdAt: apiKeys.createdAt,
  createdBy: apiKeys.createdBy,
  expiresAt: apiKeys.expiresAt,
  lastUsedAt: apiKeys.lastUsedAt,
  revokedAt: apiKeys.revokedAt,
  affiliate: { id: affiliates.id, key: affiliates.key, name: affiliates.name },
};
type Row = Pick<
  typeof apiKeys.$inferSelect,
  "id" | "name" | "purpose" | "prefix" | "createdAt" | "createdBy" | "expiresAt" | "lastUsedAt" | "revokedAt"
> & { status: KeyStatus; affiliate: ApiKey["affiliate"] };

/** One page, newest first, along the primary key. Keys are few: the filters have no indexes. */
export async function selectApiKeys(orm: Orm, query: ApiKeyListQuery): Promise<Page<ApiKey>> {
  const list = keyset(query, { columns: [apiKeys.id], key: z.tuple([z.uuid()]), order: "descending" });
  const affiliate = narrowedTo({ key: query.affiliate, scope: null });
  const rows = await joined(orm)
    .where(
      and(
        query.q ? matches(query.q) : undefined,
        query.purpose && eq(apiKeys.purpose, query.purpose),
        query.status && sql`${status} = ${query.status}`,
        affiliate && sql`${apiKeys.affiliateId} = ${affiliate}`,
        list.where,
      ),
    )
    .orderBy(list.orderBy)
    .limit(list.fetch);
  return list.page(rows, { key: (row) => [row.id], item: toApiKey });
}

export async function selectApiKey(orm: Orm, id: string): Promise<ApiKey | null> {
  const [row] = await joined(orm).where(eq(apiKeys.id, id));
  return row ? toApiKey(row) : null;
}

export async function insertApiKey(
  orm: Orm,
  row: {
    id: string;
    name: string;
    prefix: string;
    keyHash: Buffer;
    purpose: KeyPurpose;
    affiliateId: string | null;
    createdBy: string;
    expiresAt: Date | null;
  },
): Promise<void> {
  await orm.insert(apiKeys).values(row);
}

type Revoked = { id: string; name: string; affiliateId: string | null };

/** Null when there is no such key, or it was revoked before. */
export async function markApiKeyRevoked(orm: Orm, id: string): Promise<Revoked | null> {
  const [row] = await markRevoked(orm, eq(apiKeys.id, id));
  return row ?? null;
}

export async function markApiKeysOfAffiliateRevoked(orm: Orm, affiliateId: string): Promise<Revoked[]> {
  return markRevoked(orm, eq(apiKeys.affiliateId, affiliateId));
}

function markRevoked(orm: Orm, which: SQL): Promise<Revoked[]> {
  return orm
    .update(apiKeys)
    .set({ revokedAt: sql`now()` })
    .where(and(which, isNull(apiKeys.revokedAt)))
    .returning({ id: apiKeys.id, name: apiKeys.name, affiliateId: apiKeys.affiliateId });
}

function matches(text: string): SQL | undefined {
  const id = z.uuid().safeParse(text);
  return or(
    contains(apiKeys.name, text),
    contains(apiKeys.prefix, text),
    id.success ? eq(apiKeys.id, id.data) : undefined,
  );
}

function joined(orm: Orm) {
  return orm
    .select(columns)
    .from(apiKeys)
    .leftJoin(affiliates, eq(affiliates.id, apiKeys.affiliateId))
    .$dynamic();
}

function toApiKey(row: Row): ApiKey {
  return {
    id: row.id,
    name: row.name,
    purpose: row.purpose,
    affiliate: row.affiliate,
    prefix: row.prefix,
    status: row.status,
    created_at: row.createdAt.toISOString(),
    created_by: row.createdBy,
    expires_at: row.expiresAt?.toISOString() ?? null,
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    revoked_at: row.revokedAt?.toISOString() ?? null,
  };
}
