import { recordAudit } from "#lib/audit/record.ts";
import type { SessionActor } from "#lib/auth/session.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inTransaction, type Transaction } from "#lib/db/database.ts";
import { endSession, replacedSession } from "./end-session.ts";
import { deleteSessionByToken } from "./queries.ts";
import type { RequestFacts } from "./request-facts.ts";

export type SignInRecord = {
  user: { id: string; name: string };
  request: RequestFacts;
  /** The session that the request came with, which ends. */
  replaced: SessionActor | null;
  /** What it took beside the password, or in its place. */
  how?: { second_factor: true } | { single_sign_on: true };
};

export async function recordSignIn(tx: Transaction, given: SignInRecord): Promise<void> {
  const { user, request, replaced, how } = given;
  const { id, name } = user;
  await recordAudit(
    tx.orm,
    { kind: "user", id, name, from: request.from },
    { action: "user.sign_in", objectKind: "user", objectId: id, ...(how ? { after: how } : {}) },
  );
  if (replaced) await endSession(tx, replaced);
}

/**
 * The same for a session that is there already, since no transaction may be held while its password was hashed or its
 * provider asked. Where it cannot be recorded the session goes: nobody has its cookie yet.
 */
export async function recordOpened(token: string, given: Omit<SignInRecord, "replaced">): Promise<void> {
  const database = appDatabase();
  try {
    const replaced = await replacedSession(given.request);
    await inTransaction(database, (tx) => recordSignIn(tx, { ...given, replaced }));
  } catch (error) {
    await deleteSessionByToken(database.orm, token);
    throw error;
  }
}
