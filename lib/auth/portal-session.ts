import { hashLinkToken } from "#lib/auth/link-token.ts";
import { appDatabase } from "#lib/db/app.ts";
import { selectPortalSession } from "#lib/portal-links/queries.ts";
import { callOrigin } from "./actor.ts";
import { betterAuthInstance, signedCookie } from "./better-auth.ts";
import type { SessionActor } from "./session.ts";

/** Who acts by a portal link, as the audit log calls them: nobody knows the person, but who let them in. */
export function portalSessionName(createdBy: string): string {
  return `Portal link of ${createdBy}`;
}

/**
 * Who is behind the token of a portal link's session; null when it has ended. A user of the affiliate without an
 * account: no address, no password, and rights to nothing but what is the affiliate's.
 */
export async function findPortalSession(token: string, headers: Headers): Promise<SessionActor | null> {
  const session = await selectPortalSession(appDatabase().pool, hashLinkToken(token));
  if (!session) return null;
  const { id, affiliateId, affiliateKey: key, affiliateName: name } = session;
  return {
    kind: "user",
    viaLink: true,
    viewing: null,
    id,
    name: portalSessionName(session.createdBy),
    email: "",
    role: "affiliate",
    affiliateId,
    affiliate: { id: affiliateId, key, name },
    sessionId: id,
    twoFactor: false,
    from: callOrigin(headers),
  };
}

/** A Set-Cookie header for the cookie that every session has, signed as all are; it takes the place of another session. */
export async function openedSessionCookie(token: string, maxAgeSeconds: number): Promise<string> {
  const { name, attributes } = (await betterAuthInstance().$context).authCookies.sessionToken;
  const secure = attributes.secure ? "; Secure" : "";
  return `${signedCookie(name, token)}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}
