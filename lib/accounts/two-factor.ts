import { recordAudit } from "#lib/audit/record.ts";
import { betterAuthInstance, isRefusal, signedCookie } from "#lib/auth/better-auth.ts";
import { type SessionActor, signedToken } from "#lib/auth/session.ts";
import { appDatabase } from "#lib/db/app.ts";
import { invalidField, Problem } from "#lib/errors.ts";
import { endReplacedSession } from "./end-session.ts";
import { requireAccount } from "./own-account.ts";
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
  const { pool, orm } = appDatabase();
  const challenge = await challengeOf(request.cookie);
  const userId = challenge && (await challengedUser(challenge.token));
  await countCode(pool, { userId, address: request.from.address });
  const { api } = betterAuthInstance();
  // Without the rest: of a session that comes along, better-auth would judge that session's user.
  const headers = headersOf({ ...request, cookie: challenge?.cookie ?? null });
  const given = { body: { code }, headers, returnHeaders: true } as const;
  const isOfApp = /^\d{6}$/.test(code);
  const wrong = new Problem("wrong_credentials", "The code is wrong or was used, or you must begin again");
  if (isOfApp && userId !== null && !(await takeStep(pool, { userId, code }))) throw wrong;
  const step = isOfApp ? api.verifyTOTP(given) : api.verifyBackupCode(given);
  const { headers: opened, response } = await step.catch((error: unknown) => {
    throw isRefusal(error) ? wrong : error;
  });
  const { id, name } = response.user;
  await forgetCodes(pool, id);
  await recordAudit(
    orm,
    { kind: "user", id, name, from: request.from },
    { action: "user.sign_in", objectKind: "user", objectId: id, after: { second_factor: true } },
  );
  await endReplacedSession(request);
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
  const tries = { email: actor.email, address: actor.from.address };
  await countTry(appDatabase().pool, tries);
  const made = await betterAuthInstance()
    .api.enableTwoFactor({ body: { password }, headers: headersOf({ cookie, from: actor.from }) })
    .catch(wrongPassword);
  await forgetTries(appDatabase().pool, tries);
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
  const wrong = invalidField("code", "is not what the app shows for the latest secret, or was used");
  if (!(await takeStep(appDatabase().pool, { userId: actor.id, code }))) throw wrong;
  const { headers } = await betterAuthInstance()
    .api.verifyTOTP({
      body: { code },
      headers: headersOf({ cookie, from: actor.from }),
      returnHeaders: true,
    })
    .catch((error: unknown) => {
      throw isRefusal(error) ? wrong : error;
    });
  await recordAudit(appDatabase().orm, actor, {
    action: "user.enable_second_factor",
    objectKind: "user",
    objectId: actor.id,
  });
  return { cookies: headers.getSetCookie() };
}

/** Signing in asks for the password alone again; secret and backup codes are gone. */
export async function disableTwoFactor(
  actor: SessionActor,
  { cookie, password }: { cookie: string | null; password: string },
): Promise<{ cookies: string[] }> {
  requireAccount(actor);
  const tries = { email: actor.email, address: actor.from.address };
  await countTry(appDatabase().pool, tries);
  const { headers } = await betterAuthInstance()
    .api.disableTwoFactor({
      body: { password },
      headers: headersOf({ cookie, from: actor.from }),
      returnHeaders: true,
    })
    .catch(wrongPassword);
  await forgetTries(appDatabase().pool, tries);
  await recordAudit(appDatabase().orm, actor, {
    action: "user.disable_second_factor",
    objectKind: "user",
    objectId: actor.id,
  });
  return { cookies: headers.getSetCookie() };
}

function wrongPassword(error: unknown): never {
  if (!isRefusal(error)) throw error;
  throw invalidField("password", "is not your password");
}
