import type { AuditAction } from "#lib/audit/actions.ts";
import { recordAudit } from "#lib/audit/record.ts";
import {
  type BetterAuth,
  betterAuthInstance,
  isRefusal,
  signedCookie,
  withBetterAuth,
} from "#lib/auth/better-auth.ts";
import { type SessionActor, signedToken } from "#lib/auth/session.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inTransaction, type Transaction } from "#lib/db/database.ts";
import { invalidField, Problem } from "#lib/errors.ts";
import { endView } from "#lib/view-as/queries.ts";
import { replacedSession } from "./end-session.ts";
import { requireAccount } from "./own-account.ts";
import { recordSignIn } from "./record-sign-in.ts";
import { headersOf, type RequestFacts } from "./request-facts.ts";
import type { SecondFactor, TwoFactorSecret } from "./schema.ts";
import { countCode, countTry, forgetCodes, forgetTries } from "./throttle.ts";
import { takeStep } from "./totp-step.ts";

/**
 * The second step of a sign-in whose first one asked for it: the code that the app shows (RFC 6238), or a backup code,
 * which is used up. 401 for a wrong one, and once the first step is 10 minutes old; 429 after too many.
 */
export async function signInWithCode(
  request: RequestFacts,
  { code }: SecondFactor,
): Promise<{ cookies: string[] }> {
  const { pool } = appDatabase();
  const challenge = await challengeOf(request.cookie);
  const userId = challenge && (await challengedUser(challenge.token));
  await countCode(pool, { userId, address: request.from.address });
  // Without the rest: of a session that comes along, better-auth would judge that session's user.
  const headers = headersOf({ ...request, cookie: challenge?.cookie ?? null });
  const given = { body: { code }, headers, returnHeaders: true } as const;
  const isOfApp = /^\d{6}$/.test(code);
  const replaced = await replacedSession(request);
  const opened = await inTransaction(appDatabase(), (tx) =>
    withBetterAuth(tx, async ({ api }) => {
      if (isOfApp && userId !== null && !(await takeStep(tx.client, { userId, code }))) return null;
      const step = await (isOfApp ? api.verifyTOTP(given) : api.verifyBackupCode(given)).catch(nullOfRefusal);
      // Returned and not thrown, so that the try of the challenge stays counted.
      if (!step) return null;
      const { user } = step.response;
      await forgetCodes(tx.client, user.id);
      await recordSignIn(tx, { user, request, replaced, how: { second_factor: true } });
      return step.headers;
    }),
  );
  if (!opened)
    throw new Problem("wrong_credentials", "The code is wrong or was used, or you must begin again");
  return { cookies: opened.getSetCookie() };
}

/** The cookie of a first step, and no other of the request's; null without one that we signed. */
async function challengeOf(cookie: string | null): Promise<{ cookie: string; token: string } | null> {
  const { name } = (await betterAuthInstance().$context).createAuthCookie("two_factor");
  const token = signedToken(cookie, name);
  return token === null ? null : { cookie: signedCookie(name, token), token };
}

/** Who gave the right password in that step; null once it is over. */
async function challengedUser(token: string): Promise<string | null> {
  const { internalAdapter } = await betterAuthInstance().$context;
  const found = await internalAdapter.findVerificationValue(token);
  return found && found.expiresAt > new Date() ? found.value : null;
}

/** A new secret for an app, and backup codes, shown this once. Nothing is asked for yet: `enableTwoFactor` turns it on. */
export async function beginTwoFactor(
  actor: SessionActor,
  { cookie, password }: { cookie: string | null; password: string },
): Promise<TwoFactorSecret> {
  requireAccount(actor);
  if (actor.twoFactor) throw new Problem("already_exists", "A second factor is asked for already");
  const given = { body: { password }, headers: headersOf({ cookie, from: actor.from }) };
  const made = await countingTries(actor, () =>
    recorded(actor, "user.begin_second_factor", ({ auth }) =>
      auth.api.enableTwoFactor(given).catch(wrongPassword),
    ),
  );
  if (made.method !== "totp") throw new Error("a secret for an app was asked for");
  const secret = new URL(made.totpURI).searchParams.get("secret") ?? "";
  return { secret, uri: made.totpURI, backup_codes: made.backupCodes };
}

/** From now on signing in asks for a code. 422 unless `code` shows that the app has the secret. */
export async function enableTwoFactor(
  actor: SessionActor,
  { cookie, code }: { cookie: string | null; code: string },
): Promise<{ cookies: string[] }> {
  requireAccount(actor);
  const headers = headersOf({ cookie, from: actor.from });
  const verified = await recorded(actor, "user.enable_second_factor", async ({ tx, auth }) => {
    const isNew = await takeStep(tx.client, { userId: actor.id, code });
    await endView(tx.client, actor);
    const given = { body: { code }, headers, returnHeaders: true } as const;
    const step = isNew ? await auth.api.verifyTOTP(given).catch(nullOfRefusal) : null;
    if (!step) throw invalidField("code", "is not what the app shows for the latest secret, or was used");
    return step;
  });
  return { cookies: verified.headers.getSetCookie() };
}

/** Signing in asks for the password alone again; secret and backup codes are gone. */
export async function disableTwoFactor(
  actor: SessionActor,
  { cookie, password }: { cookie: string | null; password: string },
): Promise<{ cookies: string[] }> {
  requireAccount(actor);
  const headers = headersOf({ cookie, from: actor.from });
  const disabled = await countingTries(actor, () =>
    recorded(actor, "user.disable_second_factor", async ({ tx, auth }) => {
      await endView(tx.client, actor);
      return auth.api
        .disableTwoFactor({ body: { password }, headers, returnHeaders: true })
        .catch(wrongPassword);
    }),
  );
  return { cookies: disabled.headers.getSetCookie() };
}

/**
 * What better-auth does to somebody's own second factor, and its entry. Turning it on or off puts another session in the
 * place of the one that asks, so its view of an affiliate is to be ended first.
 */
async function recorded<T>(
  actor: SessionActor,
  action: AuditAction,
  work: (given: { tx: Transaction; auth: BetterAuth }) => Promise<T>,
): Promise<T> {
  return inTransaction(appDatabase(), (tx) =>
    withBetterAuth(tx, async (auth) => {
      const result = await work({ tx, auth });
      await recordAudit(tx.orm, actor, { action, objectKind: "user", objectId: actor.id });
      return result;
    }),
  );
}

/** A password is tried as one is by signing in. */
async function countingTries<T>({ email, from }: SessionActor, work: () => Promise<T>): Promise<T> {
  const { pool } = appDatabase();
  const tries = { email, address: from.address };
  const counted = await countTry(pool, tries);
  const result = await work();
  await forgetTries(pool, tries, counted);
  return result;
}

function nullOfRefusal(error: unknown): null {
  if (isRefusal(error)) return null;
  throw error;
}

function wrongPassword(error: unknown): never {
  if (!isRefusal(error)) throw error;
  throw invalidField("password", "is not your password");
}
