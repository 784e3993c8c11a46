import { and, eq, isNull, sql } from "drizzle-orm";
import { affiliates, passwordLinks, users } from "#drizzle/schema/index.ts";
import type { Orm } from "#lib/db/database.ts";
import type { PasswordLink, PasswordLinkStatus } from "./schema.ts";

/** Who may not sign in has no use for one. */
const status = sql<PasswordLinkStatus>`case when ${passwordLinks.usedAt} is not null then 'used'
  when ${passwordLinks.endedAt} is not null or ${users.deactivatedAt} is not null
    or ${affiliates.deletedAt} is not null then 'ended'
  when ${passwordLinks.expiresAt} <= now() then 'expired' else 'open' end`;

export async function selectPasswordLink(
  orm: Orm,
  by: { id: string } | { tokenHash: Buffer },
): Promise<PasswordLink | null> {
  const [row] = await orm
    .select({
      id: passwordLinks.id,
      status,
      expiresAt: passwordLinks.expiresAt,
      user: { id: users.id, email: users.email, affiliateId: users.affiliateId },
    })
    .from(passwordLinks)
    .innerJoin(users, eq(users.id, passwordLinks.userId))
    .leftJoin(affiliates, eq(affiliates.id, users.affiliateId))
    .where("id" in by ? eq(passwordLinks.id, by.id) : eq(passwordLinks.tokenHash, by.tokenHash));
  if (!row) return null;
  const { expiresAt, ...link } = row;
  return { ...link, expires_at: expiresAt.toISOString() };
}

/** Forgets what the user's links of more than 30 days ago were, so that they do not add up. */
export async function insertPasswordLink(
  orm: Orm,
  {
    validHours,
    ...row
  }: { id: string; userId: string; tokenHash: Buffer; isMailed: boolean; validHours: number },
): Promise<void> {
  await orm
    .delete(passwordLinks)
    .where(
      and(eq(passwordLinks.userId, row.userId), sql`${passwordLinks.expiresAt} < now() - interval '30 days'`),
    );
  await orm
    .insert(passwordLinks)
    .values({ ...row, expiresAt: sql`now() + make_interval(hours => ${validHours})` });
}

export async function markPasswordLinkUsed(orm: Orm, id: string): Promise<void> {
  await orm.update(passwordLinks).set({ usedAt: sql`now()` }).where(eq(passwordLinks.id, id));
}

/** Ends what is open of a user's links, or of these only such as were mailed. Who does holds the user's lock. */
export async function endPasswordLinks(
  orm: Orm,
  userId: string,
  { mailedOnly = false }: { mailedOnly?: boolean } = {},
): Promise<void> {
  await orm
    .update(passwordLinks)
    .set({ endedAt: sql`now()` })
    .where(
      and(
        eq(passwordLinks.userId, userId),
        isNull(passwordLinks.usedAt),
        isNull(passwordLinks.endedAt),
        sql`${passwordLinks.expiresAt} > now()`,
        mailedOnly ? eq(passwordLinks.isMailed, true) : undefined,
      ),
    );
}

/** Who has this address and may sign in. */
export async function selectActiveUserId(orm: Orm, email: string): Promise<string | null> {
  const [row] = await orm
    .select({ id: users.id })
    .from(users)
    .leftJoin(affiliates, eq(affiliates.id, users.affiliateId))
    .where(and(eq(users.email, email), isNull(users.deactivatedAt), isNull(affiliates.deletedAt)));
  return row?.id ?? null;
}
