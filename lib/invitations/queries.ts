import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { affiliates, invitations, users } from "#drizzle/schema/index.ts";
import { keyset } from "#lib/api/keyset.ts";
import type { Page } from "#lib/api/paging.ts";
import { contains } from "#lib/api/search.ts";
import type { Orm } from "#lib/db/database.ts";
import type { InvitationStatus, Role } from "#lib/vocabulary.ts";
import type { Invitation, InvitationListQuery } from "./schema.ts";

/** One to an affiliate that was deleted leads nowhere either. */
const status = sql<InvitationStatus>`case when ${invitations.acceptedAt} is not null then 'accepted'
  when ${invitations.revokedAt} is not null or ${affiliates.deletedAt} is not null then 'revoked'
  when ${invitations.expiresAt} <= now() then 'expired' else 'open' end`;

const columns = {
  id: invitations.id,
  email: invitations.email,
  role: invitations.role,
  status,
  createdAt: invitations.createdAt,
  createdBy: invitations.createdBy,
  expiresAt: invitations.expiresAt,
  affiliate: { id: affiliates.id, key: affiliates.key, name: affiliates.name },
};
type Row = Pick<
  typeof invitations.$inferSelect,
  "id" | "email" | "role" | "createdAt" | "createdBy" | "expiresAt"
> & { status: InvitationStatus; affiliate: Invitation["affiliate"] };

/** One page, newest first, along the primary key. Invitations are few: the filters have no indexes. */
export async function selectInvitations(orm: Orm, query: InvitationListQuery): Promise<Page<Invitation>> {
  const list = keyset(query, { columns: [invitations.id], key: z.tuple([z.uuid()]), order: "descending" });
  const rows = await joined(orm)
    .where(
      and(
        query.q ? contains(invitations.email, query.q) : undefined,
        query.status && sql`${status} = ${query.status}`,
        list.where,
      ),
    )
    .orderBy(list.orderBy)
    .limit(list.fetch);
  return list.page(rows, { key: (row) => [row.id], item: toInvitation });
}

export async function selectInvitation(
  orm: Orm,
  by: { id: string } | { tokenHash: Buffer },
): Promise<Invitation | null> {
  const [row] = await joined(orm).where(isIt(by));
  return row ? toInvitation(row) : null;
}

/** The same, locked until the transaction ends: of two who use one at once, one does. */
export async function lockInvitation(
  orm: Orm,
  by: { id: string } | { tokenHash: Buffer },
): Promise<Invitation | null> {
  const rows = await orm.select({ id: invitations.id }).from(invitations).where(isIt(by)).for("update");
  return rows.length > 0 ? selectInvitation(orm, by) : null;
}

export async function insertInvitation(
  orm: Orm,
  {
    validDays,
    ...row
  }: {
    id: string;
    tokenHash: Buffer;
    email: string;
    role: Role;
    affiliateId: string | null;
    createdBy: string;
    validDays: number;
  },
): Promise<void> {
  await orm
    .insert(invitations)
    .values({ ...row, expiresAt: sql`now() + make_interval(days => ${validDays})` });
}

export async function markInvitation(orm: Orm, id: string, as: "accepted" | "revoked"): Promise<void> {
  await orm
    .update(invitations)
    .set(as === "accepted" ? { acceptedAt: sql`now()` } : { revokedAt: sql`now()` })
    .where(eq(invitations.id, id));
}

/** Revokes what is still open for this address, and returns the ids. */
export async function revokeInvitationsTo(orm: Orm, email: string): Promise<string[]> {
  const rows = await orm
    .update(invitations)
    .set({ revokedAt: sql`now()` })
    .where(
      and(
        eq(invitations.email, email),
        isNull(invitations.acceptedAt),
        isNull(invitations.revokedAt),
        sql`${invitations.expiresAt} > now()`,
      ),
    )
    .returning({ id: invitations.id });
  return rows.map(({ id }) => id);
}

export async function isEmailTaken(orm: Orm, email: string): Promise<boolean> {
  const rows = await orm.select({ id: users.id }).from(users).where(eq(users.email, email));
  return rows.length > 0;
}

function isIt(by: { id: string } | { tokenHash: Buffer }): SQL {
  return "id" in by ? eq(invitations.id, by.id) : eq(invitations.tokenHash, by.tokenHash);
}

function joined(orm: Orm) {
  return orm
    .select(columns)
    .from(invitations)
    .leftJoin(affiliates, eq(affiliates.id, invitations.affiliateId))
    .$dynamic();
}

function toInvitation(row: Row): Invitation {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    affiliate: row.affiliate,
    status: row.status,
    created_at: row.createdAt.toISOString(),
    created_by: row.createdBy,
    expires_at: row.expiresAt.toISOString(),
  };
}
