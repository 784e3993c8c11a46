import { hashPassword } from "better-auth/crypto";
import { type AuditActor, recordAudit } from "#lib/audit/record.ts";
import { type CallOrigin, systemActor } from "#lib/auth/actor.ts";
import { betterAuthInstance, isRefusal } from "#lib/auth/better-auth.ts";
import { selectHasAdmin } from "#lib/auth/has-admin.ts";
import { hashLinkToken } from "#lib/auth/link-token.ts";
import type { SessionActor } from "#lib/auth/session.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inTransaction } from "#lib/db/database.ts";
import { invalidField, Problem } from "#lib/errors.ts";
import { endPasswordLinks } from "#lib/password-links/queries.ts";
import { lockUser } from "#lib/users/queries.ts";
import { endView } from "#lib/view-as/queries.ts";
import { confirmPassword } from "./confirm-password.ts";
import { createUser, refuseWeakPassword } from "./create-user.ts";
import { endSession } from "./end-session.ts";
import { lockFirstAdmin } from "./first-admin.ts";
import { requireAccount } from "./own-account.ts";
import {
  deleteSessions,
  isSetupLinkValid,
  selectSessions,
  takeSetupLink,
  updatePasswordHash,
  updateUserName,
} from "./queries.ts";
import { recordOpened } from "./record-sign-in.ts";
import { headersOf, type RequestFacts } from "./request-facts.ts";
import type { Account, AccountEdit, AccountSession, PasswordChange, Setup, SignIn } from "./schema.ts";
import { countTry, forgetTries } from "./throttle.ts";

/** What the browser is to keep of a session: Set-Cookie headers. */
type WithCookies = { cookies: string[] };
/** `needsCode`: the password was right, and `signInWithCode` is to follow. */
type SignedIn = WithCookies & { needsCode: boolean };

/**
 * Signs somebody in, and ends the session that the request came with, whoever's it was. A 401 that is the same for an
 * unknown address, a wrong password and a user who was deactivated; 429 after too many tries.
 */
export async function signIn(request: RequestFacts, given: SignIn): Promise<SignedIn> {
  const { from } = request;
  const { pool } = appDatabase();
  const tries = { email: given.email, address: from.address };
  const counted = await countTry(pool, tries);
  const signedIn = await openSession(request, given);
  await forgetTries(pool, tries, counted);
  return signedIn;
}

async function openSession(request: RequestFacts, { email, password }: SignIn): Promise<SignedIn> {
  const auth = betterAuthInstance();
  const { headers, response } = await auth.api
    .signInEmail({
      body: { email, password },
      headers: headersOf({ ...request, cookie: null }),
      returnHeaders: true,
    })
    .catch((error: unknown) => {
      if (isRefusal(error))
        throw new Problem("wrong_credentials", "There is no such combination of e-mail address and password");
      throw error;
    });
  const cookies = headers.getSetCookie();
  if ("twoFactorRedirect" in response) return { cookies, needsCode: true };
  await recordOpened(response.token, { user: response.user, request });
  return { cookies, needsCode: false };
}

/** Whether a set-up link leads anywhere: it was not used, and has not expired or been replaced. */
export async function canSetUp(token: string): Promise<boolean> {
  return isSetupLinkValid(appDatabase().orm, hashLinkToken(token));
}

/** Whether anybody can sign in yet. */
export async function isSetUp(): Promise<boolean> {
  return selectHasAdmin(appDatabase().pool);
}

/** Makes the first admin and signs them in. 410 for a link that was used, has expired or was replaced. */
export async function setUpFirstAdmin(request: RequestFacts, setup: Setup): Promise<WithCookies> {
  const { token, name, email, password } = setup;
  await inTransaction(appDatabase(), async ({ client, orm }) => {
    await lockFirstAdmin(client);
    const isValid = await takeSetupLink(orm, hashLinkToken(token));
    if (!isValid || (await selectHasAdmin(client))) {
      throw new Problem(
        "link_not_valid",
        "It was used, has expired, or Posthorn was started again since: start it again for a new one",
      );
    }
    await createUser(orm, setupActor(request.from), {
      name,
      email,
      password,
      role: "admin",
      affiliateId: null,
    });
  });
  return openSession(request, { email, password });
}

/** Whoever holds the set-up link acts for Posthorn, from where they are. */
function setupActor(from: CallOrigin): AuditActor {
  return { ...systemActor, name: "Set-up link", from };
}

/** Somebody's own account. */
export function getAccount(actor: SessionActor): Account {
  requireAccount(actor);
  const { id, name, email, role, affiliate, twoFactor } = actor;
  return { id, name, email, role, affiliate, two_factor: twoFactor };
}

/** Changes one's own name. */
export async function editAccount(actor: SessionActor, { name }: AccountEdit): Promise<Account> {
  requireAccount(actor);
  if (name !== actor.name) {
    await inTransaction(appDatabase(), async ({ orm }) => {
      await updateUserName(orm, actor.id, name);
      await recordAudit(orm, actor, {
        action: "user.edit",
        objectKind: "user",
        objectId: actor.id,
        before: { name: actor.name },
        after: { name },
      });
    });
  }
  return { ...getAccount(actor), name };
}

/** Changes one's own password, and ends every other session. 422 for a wrong current one, or a new one that is too easy. */
export async function changePassword(actor: SessionActor, given: PasswordChange): Promise<void> {
  requireAccount(actor);
  refuseWeakPassword(given.password, actor);
  const before = await confirmPassword(actor, given.current);
  if (before === null) throw invalidField("current", "is not your current password");
  const after = await hashPassword(given.password);
  await inTransaction(appDatabase(), async (tx) => {
    await lockUser(tx.orm, actor.id);
    await endPasswordLinks(tx.orm, actor.id);
    if (!(await updatePasswordHash(tx.orm, actor.id, { before, after })))
      throw invalidField("current", "is not your current password any more");
    const ended = await deleteSessions(tx.orm, actor.id, { keep: actor.sessionId });
    await recordAudit(tx.orm, actor, {
      action: "user.change_password",
      objectKind: "user",
      objectId: actor.id,
      after: { other_sessions_ended: ended },
    });
  });
}

/** Where somebody is signed in, the latest first. */
export async function listSessions(actor: SessionActor): Promise<{ data: AccountSession[] }> {
  requireAccount(actor);
  const rows = await selectSessions(appDatabase().orm, actor.id);
  const data = rows.map((row) => ({
    id: row.id,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    address: row.ipAddress || null,
    user_agent: row.userAgent || null,
    current: row.id === actor.sessionId,
  }));
  return { data };
}

/** Ends the session that asks. */
export async function signOut(actor: SessionActor): Promise<WithCookies> {
  await inTransaction(appDatabase(), (tx) => endSession(tx, actor));
  return { cookies: await endingCookies() };
}

/** Ends all of one's sessions, this one among them. */
export async function signOutEverywhere(actor: SessionActor): Promise<WithCookies> {
  requireAccount(actor);
  await inTransaction(appDatabase(), async ({ client, orm }) => {
    await endView(client, actor);
    const ended = await deleteSessions(orm, actor.id);
    await recordAudit(orm, actor, {
      action: "user.sign_out_everywhere",
      objectKind: "user",
      objectId: actor.id,
      after: { sessions_ended: ended },
    });
  });
  return { cookies: await endingCookies() };
}

async function endingCookies(): Promise<string[]> {
  const { headers } = await betterAuthInstance().api.signOut({ headers: new Headers(), returnHeaders: true });
  return headers.getSetCookie();
}
