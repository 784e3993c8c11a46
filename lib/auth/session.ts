import { createHmac, timingSafeEqual } from "node:crypto";
import { appDatabase } from "#lib/db/app.ts";
import { Problem } from "#lib/errors.ts";
import type { Role } from "#lib/vocabulary.ts";
import { type Actor, callOrigin } from "./actor.ts";
import { betterAuthInstance, cookieSecret } from "./better-auth.ts";
import { findPortalSession } from "./portal-session.ts";

/** Somebody who is signed in. */
export type SessionActor = Actor & { kind: "user" } & {
  /** Empty for who came by a portal link, and has no account. */
  email: string;
  sessionId: string;
  /** Whether signing in asks for a code as well. */
  twoFactor: boolean;
  affiliate: { id: string; key: string; name: string } | null;
};

type LiveSession = {
  session_id: string;
  id: string;
  name: string;
  email: string;
  role: Role;
  two_factor_enabled: boolean;
  affiliate_id: string | null;
  affiliate_key: string | null;
  affiliate_name: string | null;
};

const liveSession = `select s.id as session_id, u.id, u.name, u.email, u.role, u.two_factor_enabled, u.affiliate_id,
    a.key as affiliate_key, a.name as affiliate_name
  from posthorn.sessions s
  join posthorn.users u on u.id = s.user_id
  left join posthorn.affiliates a on a.id = u.affiliate_id
  where s.token = $1 and s.expires_at > now() and u.deactivated_at is null and a.deleted_at is null`;

/**
 * Who is behind a request's cookie; null without a live session. Every request asks the database, so that a session that
 * was ended, or a user who was deactivated or given another role, is so at once in every process.
 */
export async function findSession(headers: Headers): Promise<SessionActor | null> {
  const token = signedToken(headers.get("cookie"), await sessionCookieName());
  if (token === null) return null;
  const { rows } = await appDatabase().pool.query<LiveSession>(liveSession, [token]);
  const [row] = rows;
  if (!row) return findPortalSession(token, headers);
  const { affiliate_id: affiliateId, affiliate_key: key, affiliate_name: name } = row;
  return {
    kind: "user",
    id: row.id,
    name: row.name,
    email: row.email,
    role: row.role,
    affiliateId,
    affiliate: affiliateId === null ? null : { id: affiliateId, key: key ?? "", name: name ?? "" },
    sessionId: row.session_id,
    twoFactor: row.two_factor_enabled,
    from: callOrigin(headers),
  };
}

/** The same; throws a 401 without a live session. */
export async function requireSession(headers: Headers): Promise<SessionActor> {
  const session = await findSession(headers);
  if (!session) throw new Problem("unauthorized", "You are not signed in, or your session has ended");
  return session;
}

async function sessionCookieName(): Promise<string> {
  return (await betterAuthInstance().$context).authCookies.sessionToken.name;
}

/** The token of a cookie whose signature is ours. */
function signedToken(cookies: string | null, name: string): string | null {
  const given = cookies
    ?.split(";")
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`));
  const value = given && decoded(given.slice(name.length + 1));
  const end = value ? value.lastIndexOf(".") : -1;
  if (!value || end < 1) return null;
  const token = value.slice(0, end);
  const signature = Buffer.from(value.slice(end + 1), "base64");
  const expected = createHmac("sha256", cookieSecret()).update(token).digest();
  return signature.length === expected.length && timingSafeEqual(signature, expected) ? token : null;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
