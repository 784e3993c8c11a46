import { recordAudit } from "#lib/audit/record.ts";
import { findSession, type SessionActor } from "#lib/auth/session.ts";
import type { Transaction } from "#lib/db/database.ts";
import { endPortalSession } from "#lib/portal-links/queries.ts";
import { endView } from "#lib/view-as/queries.ts";
import { deleteSession } from "./queries.ts";
import { headersOf, type RequestFacts } from "./request-facts.ts";

/** Ends a session, with its view of an affiliate, as its user's sign-out. */
export async function endSession({ client, orm }: Transaction, actor: SessionActor): Promise<void> {
  await endView(client, actor);
  if (actor.viaLink) await endPortalSession(orm, actor.sessionId);
  else await deleteSession(orm, actor.sessionId);
  const objectKind = actor.viaLink ? "portal_link" : "user";
  await recordAudit(orm, actor, { action: "user.sign_out", objectKind, objectId: actor.id });
}

/** The session that a request came with: another takes its place in the browser, so it is to end. */
export async function replacedSession(request: RequestFacts): Promise<SessionActor | null> {
  return findSession(headersOf(request));
}
