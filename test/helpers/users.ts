import { createHmac, randomBytes } from "node:crypto";
import { hashPassword } from "better-auth/crypto";
import type pg from "pg";
import { v7 as uuidV7 } from "uuid";
import { cookieSecret } from "#lib/auth/better-auth.ts";
import { hashLinkToken, makeLinkToken } from "#lib/auth/link-token.ts";
import type { Role } from "#lib/vocabulary.ts";

export type TestUser = {
  id: string;
  name: string;
  email: string;
  role: Role;
  sessionId: string;
  cookie: string;
};

let made = 0;

/** A user with a session of their own; without a password unless one is given, since a hash takes its time. */
export async function createUserSession(
  pool: pg.Pool,
  given: { role: Role; affiliateId?: string; password?: string; expiresAt?: string },
): Promise<TestUser> {
  const { role, affiliateId = null, password, expiresAt = "now() + interval '1 day'" } = given;
  const [id, sessionId] = [uuidV7(), uuidV7()];
  const name = `${role} ${++made}`;
  const email = `${role}-${made}@posthorn.example`;
  await pool.query(
    "insert into posthorn.users (id, name, email, role, affiliate_id) values ($1, $2, $3, $4, $5)",
    [id, name, email, role, affiliateId],
  );
  if (password !== undefined) {
    await pool.query(
      `insert into posthorn.credentials (id, user_id, provider_id, account_id, password)
       values ($1, $2, 'credential', $4, $3)`,
      [uuidV7(), id, await hashPassword(password), id],
    );
  }
  const token = randomBytes(24).toString("base64url");
  await pool.query(
    `insert into posthorn.sessions (id, user_id, token, expires_at) values ($1, $2, $3, ${expiresAt})`,
    [sessionId, id, token],
  );
  return { id, name, email, role, sessionId, cookie: sessionCookie(token) };
}

/** The cookie of a session that began with a link into an affiliate's portal. */
export async function createPortalSession(pool: pg.Pool, affiliateId: string): Promise<string> {
  const token = makeLinkToken();
  await pool.query(
    `insert into posthorn.portal_links (id, affiliate_id, token_hash, created_by, expires_at, used_at, session_hash,
       session_ends_at)
     values ($1, $2, $3, 'x', now() + interval '1 day', now(), $4, now() + interval '1 hour')`,
    [uuidV7(), affiliateId, hashLinkToken(makeLinkToken()), hashLinkToken(token)],
  );
  return sessionCookie(token);
}

/** The cookie of a session, as the browser sends it back. */
export function sessionCookie(token: string): string {
  const signature = createHmac("sha256", cookieSecret()).update(token).digest("base64");
  return `posthorn.session_token=${encodeURIComponent(`${token}.${signature}`)}`;
}
