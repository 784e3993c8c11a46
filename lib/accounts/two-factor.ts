import { recordAudit } from "#lib/audit/record.ts";
import { addressHeader, type CallOrigin } from "#lib/auth/actor.ts";
import { betterAuthInstance, isRefusal } from "#lib/auth/better-auth.ts";
import { type SessionActor, signedToken } from "#lib/auth/session.ts";
import { appDatabase } from "#lib/db/app.ts";
import { invalidField, Problem } from "#lib/errors.ts";
import { requireAccount } from "./own-account.ts";
import type { SecondFactor, TwoFactorSecret } from "./schema.ts";
import { countCode, countTry, forgetCodes, forgetTries } from "./throttle.ts";
import { takeStep } from "./totp-step.ts";

/** What of a request better-auth reads: its cookies, and where it came from. */
export type RequestFacts = { cookie: string | null; from: CallOrigin };

export function headersOf({ cookie, from: { address, userAgent } }: RequestFacts): Headers {
  return new Headers({
    ...(cookie === null ? {} : { cookie }),
    ...(address === null ? {} : { [addressHeader]: address }),
    ...(userAgent === null ? {} : { "user-agent": userAgent }),
  });
}

/**
 * The second step of a sign-in whose first one asked for it: the code that the app shows (RFC 6238), or a backup code,
 * which is used up. 401 for a wrong one, and once the first step is 10 minutes old; 429 after too many.
 */
export async function signInWithCode(
  request: RequestFacts,
  { code }: SecondFactor,
): Promise<{ cookies: string[] }> {
  const { pool, orm } = appDatabase();
  const userId = await challengedUser(request.cookie);
  await countCode(pool, { userId, address: request.from.address });
  const { api } = betterAuthInstance();
  const given = { body: { code }, headers: headersOf(request), returnHeaders: true } as const;
  const isOfApp = /^\d{6}$/.test(code);
  const wrong = new Problem("wrong_credentials", "The code is wrong or was used, or you must begin again");
  if (isOfApp && userId !== null && !(await takeStep(pool, { userId, code }))) throw wrong;
  const step = isOfApp ? api.verifyTOTP(given) : api.verifyBackupCode(given);
  const { headers, response } = await step.catch((error: unknown) => {
    throw isRefusal(error) ? wrong : error;
  });
  const { id, name } = response.user;
  await forgetCodes(pool, id);
  await recordAudit(
    orm,
    { kind: "user", id, name, from: request.from },
    { action: "user.sign_in", objectKind: "user", objectId: id, after: { second_factor: true } },
  );
  return { cookies: headers.getSetCookie() };
}

/** Who gave the right password in the first step; null without one that still holds. */
async function challengedUser(cookie: string | null): Promise<string | null> {
  const { createAuthCookie, internalAdapter } = await betterAuthInstance().$context;
  const challenge = signedToken(cookie, createAuthCookie("two_factor").name);
  const found = challenge === null ? null : await internalAdapter.findVerificationValue(challenge);
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
