import { timingSafeEqual } from "node:crypto";
import { appDatabase } from "#lib/db/app.ts";
import { Problem } from "#lib/errors.ts";
import { endView } from "#lib/view-as/queries.ts";
import type { Role } from "#lib/vocabulary.ts";
import { type Actor, callOrigin } from "./actor.ts";
import { betterAuthInstance, signatureOf } from "./better-auth.ts";
import { findPortalSession } from "./portal-session.ts";

/** Somebody who is signed in. */
export type SessionActor = Actor & { kind: "user" } & {
  /** Empty for who came by a portal link, and has no account. */
  email: string;
  sessionId: string;
  /** Whether signing in asks for a code as well. */
  twoFactor: boolean;
  /** Whose portal they see: their own, or the one that they view as. */
  affiliate: { id: string; key: string; name: string } | null;
  viewing: { name: string; endsAt: Date } | null;
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
  view_ends_at: Date | null;
  is_view_over: boolean;
};

const liveSession = `select s.id as session_id, u.id, u.name, u.email, u.role, u.two_factor_enabled,
    a.id as affiliate_id, a.key as affiliate_key, a.name as affiliate_name, s.view_ends_at,
    s.viewed_affiliate_id is not null and a.id is distinct from s.viewed_affiliate_id as is_view_over
  from posthorn.sessions s
  join posthorn.users u on u.id = s.user_id
  left join posthorn.affiliates a on a.deleted_at is null
    and a.id = coalesce(u.affiliate_id, case when s.view_ends_at > now() then s.viewed_affiliate_id end)
  where s.token = $1 and s.expires_at > now() and u.deactivated_at is null
    and (u.affiliate_id is null or a.id is not null)`;

/**
 * Who is behind a request's cookie; null without a live session. Every request asks the database, so that a session that
 * was ended, or a user who was deactivated or given another role, is so at once in every process.
 */
export async function findSession(headers: Headers): Promise<SessionActor | null> {
  const token = await sessionToken(headers.get("cookie"));
  if (token === null) return null;
  const { rows } = await appDatabase().pool.query<LiveSession>(liveSession, [token]);
  const [row] = rows;
  if (!row) return findPortalSession(token, headers);
  const { affiliate_id: affiliateId, affiliate_key: key, affiliate_name: name } = row;
  const from = callOrigin(headers);
  if (row.is_view_over) {
    const { id, name, session_id: sessionId } = row;
    await endView(appDatabase().pool, { id, name, sessionId, from });
  }
  const isViewing = row.role !== "affiliate" && affiliateId !== null;
  return {
    kind: "user",
    id: row.id,
    name: row.name,
    email: row.email,
    role: row.role,
    affiliateId,
    affiliate: affiliateId === null ? null : { id: affiliateId, key: key ?? "", name: name ?? "" },
    viewing: isViewing && row.view_ends_at ? { name: name ?? "", endsAt: row.view_ends_at } : null,
    sessionId: row.session_id,
    twoFactor: row.two_factor_enabled,
    from,
  };
}

/** The same; throws a 401 without a live session. */
export async function requireSession(headers: Headers): Promise<SessionActor> {
  const session = await findSession(headers);
  if (!session) throw new Problem("unauthorized", "You are not signed in, or your session has ended");
  return session;
}

/** The token of a session, live or not, in a request's cookies. */
export async function sessionToken(cookies: string | null): Promise<string | null> {
  return signedToken(cookies, (await betterAuthInstance().$context).authCookies.sessionToken.name);
}

/** The token of a cookie whose signature is ours. */
export function signedToken(cookies: string | null, name: string): string | null {
  const given = cookies
    ?.split(";")
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`));
  const value = given && decoded(given.slice(name.length + 1));
  const end = value ? value.lastIndexOf(".") : -1;
  if (!value || end < 1) return null;
  const token = value.slice(0, end);
  const signature = Buffer.from(value.slice(end + 1), "base64");
  const expected = signatureOf(token);
  return signature.length === expected.length && timingSafeEqual(signature, expected) ? token : null;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
