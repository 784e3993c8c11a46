import { and, eq, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import { portalLinks } from "#drizzle/schema/index.ts";
import { keyset } from "#lib/api/keyset.ts";
import type { Page } from "#lib/api/paging.ts";
import type { Orm, Queryable } from "#lib/db/database.ts";
import type { PortalLinkStatus } from "#lib/vocabulary.ts";
import type { PortalLink, PortalLinkListQuery } from "./schema.ts";

const status = sql<PortalLinkStatus>`case when ${portalLinks.revokedAt} is not null then 'revoked'
  when ${portalLinks.usedAt} is not null then 'used' when ${portalLinks.expiresAt} <= now() then 'expired' else 'open' end`;

const columns = {
  id: portalLinks.id,
  status,
  createdAt: portalLinks.createdAt,
  createdBy: portalLinks.createdBy,
  expiresAt: portalLinks.expiresAt,
  usedAt: portalLinks.usedAt,
  revokedAt: portalLinks.revokedAt,
  sessionEndsAt: portalLinks.sessionEndsAt,
};
type Row = Omit<typeof portalLinks.$inferSelect, "affiliateId" | "tokenHash" | "sessionHash"> & {
  status: PortalLinkStatus;
};

/** One page of an affiliate's links, newest first. */
export async function selectPortalLinks(
  orm: Orm,
  query: PortalLinkListQuery & { affiliateId: string },
): Promise<Page<PortalLink>> {
  const list = keyset(query, { columns: [portalLinks.id], key: z.tuple([z.uuid()]), order: "descending" });
  const rows = await orm
    .select(columns)
    .from(portalLinks)
    .where(and(eq(portalLinks.affiliateId, query.affiliateId), list.where))
    .orderBy(list.orderBy)
    .limit(list.fetch);
  return list.page(rows, { key: (row) => [row.id], item: toPortalLink });
}

export async function selectPortalLink(
  orm: Orm,
  { id, affiliateId }: { id: string; affiliateId: string },
): Promise<PortalLink | null> {
  const [row] = await orm
    .select(columns)
    .from(portalLinks)
    .where(and(eq(portalLinks.id, id), eq(portalLinks.affiliateId, affiliateId)));
  return row ? toPortalLink(row) : null;
}

export async function insertPortalLink(
  orm: Orm,
  link: { id: string; affiliateId: string; tokenHash: Buffer; createdBy: string; minutes: number },
): Promise<void> {
  const { minutes, ...row } = link;
  await orm.insert(portalLinks).values({ ...row, expiresAt: sql`now() + make_interval(mins => ${minutes})` });
}

/** Ends the link and the session that it became. False when it was revoked before. */
export async function markPortalLinkRevoked(orm: Orm, id: string): Promise<boolean> {
  const { rowCount } = await orm
    .update(portalLinks)
    .set({
      revokedAt: sql`now()`,
      sessionHash: null,
      sessionEndsAt: sql`least(${portalLinks.sessionEndsAt}, now())`,
    })
    .where(and(eq(portalLinks.id, id), isNull(portalLinks.revokedAt)));
  return rowCount === 1;
}

export type UsedPortalLink = { id: string; createdBy: string; affiliateId: string };

/** Uses a link up and keeps the session's hash; of two at once one gets it. Null when it is none, or none any more. */
export async function usePortalLink(
  db: Queryable,
  given: { tokenHash: Buffer; sessionHash: Buffer; sessionHours: number },
): Promise<UsedPortalLink | null> {
  const { rows } = await db.query<UsedPortalLink>({
    text: `update posthorn.portal_links l
      set used_at = now(), session_hash = $2, session_ends_at = now() + make_interval(hours => $3)
      from posthorn.affiliates a
      where l.token_hash = $1 and l.used_at is null and l.revoked_at is null and l.expires_at > now()
        and a.id = l.affiliate_id and a.deleted_at is null
      returning l.id, l.created_by as "createdBy", l.affiliate_id as "affiliateId"`,
    values: [given.tokenHash, given.sessionHash, given.sessionHours],
  });
  return rows[0] ?? null;
}

export type LivePortalSession = {
  id: string;
  createdBy: string;
  sessionEndsAt: Date;
  affiliateId: string;
  affiliateKey: string;
  affiliateName: string;
};

export async function selectPortalSession(
  db: Queryable,
  sessionHash: Buffer,
): Promise<LivePortalSession | null> {
  const { rows } = await db.query<LivePortalSession>({
    text: `select l.id, l.created_by as "createdBy", l.session_ends_at as "sessionEndsAt", a.id as "affiliateId",
        a.key as "affiliateKey", a.name as "affiliateName"
      from posthorn.portal_links l join posthorn.affiliates a on a.id = l.affiliate_id and a.deleted_at is null
      where l.session_hash = $1 and l.session_ends_at > now() and l.revoked_at is null`,
    values: [sessionHash],
  });
  return rows[0] ?? null;
}

export async function endPortalSession(orm: Orm, id: string): Promise<void> {
  await orm
    .update(portalLinks)
    .set({ sessionHash: null, sessionEndsAt: sql`least(${portalLinks.sessionEndsAt}, now())` })
    .where(eq(portalLinks.id, id));
}

function toPortalLink(row: Row): PortalLink {
  return {
    id: row.id,
    status: row.status,
    created_at: row.createdAt.toISOString(),
    created_by: row.createdBy,
    expires_at: row.expiresAt.toISOString(),
    used_at: row.usedAt?.toISOString() ?? null,
    revoked_at: row.revokedAt?.toISOString() ?? null,
    session_ends_at: row.sessionEndsAt?.toISOString() ?? null,
  };
}
