import { recordAudit } from "#lib/audit/record.ts";
import { findSession, type SessionActor } from "#lib/auth/session.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inTransaction, type Transaction } from "#lib/db/database.ts";
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

/** Ends the session whose cookie came along with a request that has begun another: the browser has lost it. */
export async function endReplacedSession(request: RequestFacts): Promise<void> {
  const replaced = await findSession(headersOf(request));
  if (replaced) await inTransaction(appDatabase(), (tx) => endSession(tx, replaced));
}
