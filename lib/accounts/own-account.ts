import type { SessionActor } from "#lib/auth/session.ts";
import { Problem } from "#lib/errors.ts";

/** Throws a 403 for who came by a portal link: there is no password, name or list of sessions of theirs. */
export function requireAccount(actor: SessionActor): void {
  if (actor.viaLink) throw new Problem("forbidden", "You came by a portal link, which has no account");
}
