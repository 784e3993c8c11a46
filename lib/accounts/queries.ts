import { and, desc, eq, gt, ne, sql } from "drizzle-orm";
import { credentials, sessions, setupLinks, users } from "#drizzle/schema/index.ts";
import type { Orm, Queryable } from "#lib/db/database.ts";
import type { Role } from "#lib/vocabulary.ts";

const passwordProvider = "credential";

export type NewUser = {
  id: string;
  credentialId: string;
  name: string;
  email: string;
  passwordHash: string;
  role: Role;
  affiliateId: string | null;
};

/** A user who signs in with a password, in the caller's transaction. The e-mail address is unique. */
export async function insertUser(orm: Orm, user: NewUser): Promise<void> {
  const { id, credentialId, name, email, passwordHash, role, affiliateId } = user;
  await orm.insert(users).values({ id, name, email, role, affiliateId });
  await orm.insert(credentials).values({
    id: credentialId,
    userId: id,
    providerId: passwordProvider,
    accountId: id,
    password: passwordHash,
  });
}

/** Null for a user without a password. */
export async function selectPasswordHash(orm: Orm, userId: string): Promise<string | null> {
  const [row] = await orm
    .select({ password: credentials.password })
    .from(credentials)
    .where(and(eq(credentials.userId, userId), eq(credentials.providerId, passwordProvider)));
  return row?.password ?? null;
}

/** Whether it was still the one that was looked at: of two changes at once, one wins. */
export async function updatePasswordHash(
  orm: Orm,
  userId: string,
  hash: { before: string; after: string },
): Promise<boolean> {
  const { rowCount } = await orm
    .update(credentials)
    .set({ password: hash.after, updatedAt: sql`now()` })
    .where(
      and(
        eq(credentials.userId, userId),
        eq(credentials.providerId, passwordProvider),
        eq(credentials.password, hash.before),
      ),
    );
  return rowCount === 1;
}

/** Whatever it was before, and for a user who had none as well. */
export async function setPasswordHash(
  orm: Orm,
  { credentialId, userId, hash }: { credentialId: string; userId: string; hash: string },
): Promise<void> {
  await orm
    .insert(credentials)
    .values({ id: credentialId, userId, providerId: passwordProvider, accountId: userId, password: hash })
    .onConflictDoUpdate({
      target: [credentials.providerId, credentials.accountId],
      set: { password: hash, updatedAt: sql`now()` },
    });
}

export async function updateUserName(orm: Orm, userId: string, name: string): Promise<void> {
  await orm.update(users).set({ name, updatedAt: sql`now()` }).where(eq(users.id, userId));
}

type SessionRow = typeof sessions.$inferSelect;

/** Where somebody is signed in, the latest first. */
export async function selectSessions(orm: Orm, userId: string): Promise<SessionRow[]> {
  return orm
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, sql`now()`)))
    .orderBy(desc(sessions.createdAt))
    .limit(100);
}

/** Ends a user's sessions, all but `keep`, and returns how many. */
export async function deleteSessions(
  orm: Orm,
  userId: string,
  { keep }: { keep?: string } = {},
): Promise<number> {
  const { rowCount } = await orm
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), keep === undefined ? undefined : ne(sessions.id, keep)));
  return rowCount ?? 0;
}

/** Forgets the sessions that have expired. */
export async function forgetExpiredSessions(db: Queryable): Promise<void> {
  await db.query("delete from posthorn.sessions where expires_at < now()");
}

export async function deleteSession(orm: Orm, id: string): Promise<void> {
  await orm.delete(sessions).where(eq(sessions.id, id));
}

export async function deleteSessionByToken(orm: Orm, token: string): Promise<void> {
  await orm.delete(sessions).where(eq(sessions.token, token));
}

/** There is one link at a time: the latest start's. */
export async function replaceSetupLink(
  orm: Orm,
  link: { tokenHash: Buffer; validHours: number },
): Promise<void> {
  await orm.delete(setupLinks);
  await orm.insert(setupLinks).values({
    tokenHash: link.tokenHash,
    expiresAt: sql`now() + make_interval(hours => ${link.validHours})`,
  });
}

export async function isSetupLinkValid(orm: Orm, tokenHash: Buffer): Promise<boolean> {
  const rows = await orm
    .select({ tokenHash: setupLinks.tokenHash })
    .from(setupLinks)
    .where(and(eq(setupLinks.tokenHash, tokenHash), gt(setupLinks.expiresAt, sql`now()`)));
  return rows.length > 0;
}

/** Uses the link up: false when it was used, replaced or has expired. */
export async function takeSetupLink(orm: Orm, tokenHash: Buffer): Promise<boolean> {
  const { rowCount } = await orm
    .delete(setupLinks)
    .where(and(eq(setupLinks.tokenHash, tokenHash), gt(setupLinks.expiresAt, sql`now()`)));
  return rowCount === 1;
}
