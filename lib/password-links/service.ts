import { hashPassword } from "better-auth/crypto";
import { v7 as uuidV7 } from "uuid";
import { refuseWeakPassword } from "#lib/accounts/create-user.ts";
import { networkOf } from "#lib/accounts/network.ts";
import { deleteSessions, selectPasswordHash, setPasswordHash } from "#lib/accounts/queries.ts";
import { countAsked, countUse, forgetTries } from "#lib/accounts/throttle.ts";
import type { AuditAction } from "#lib/audit/actions.ts";
import { type AuditActor, recordAudit } from "#lib/audit/record.ts";
import { type Actor, type CallOrigin, systemActor } from "#lib/auth/actor.ts";
import { hashLinkToken, makeLinkToken } from "#lib/auth/link-token.ts";
import { authorize } from "#lib/auth/permissions.ts";
import { consoleOrigin } from "#lib/config.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inTransaction, type Orm } from "#lib/db/database.ts";
import { existing, notFound, Problem } from "#lib/errors.ts";
import { createLogger } from "#lib/log.ts";
import { canMail } from "#lib/mail/send-mail.ts";
import { lockUser } from "#lib/users/queries.ts";
import { mailPasswordLink, mailWithoutPassword } from "./mail.ts";
import {
  endPasswordLinks,
  insertPasswordLink,
  markPasswordLinkUsed,
  selectActiveUserId,
  selectPasswordLink,
} from "./queries.ts";
import type {
  ForgottenPassword,
  NewPassword,
  PasswordLink,
  PasswordLinkMade,
  PasswordLinkStatus,
} from "./schema.ts";

const validHours = { made: 24, mailed: 1 } as const;
/** Within 15 minutes: by one admin, and uses of links from one address. */
const maxUses = { make: 50, use: 20 } as const;

/**
 * Makes a link with which a user sets a new password, for one use within 24 hours, which is answered this once; every
 * earlier one of theirs ends. 403 for oneself, 404 when there is no such user, 409 for one who may not sign in, 429 after
 * too many.
 */
export async function makePasswordLink(actor: Actor, userId: string): Promise<PasswordLinkMade> {
  authorize(actor, "user.manage");
  const detail = "Too many password links; wait before the next one";
  await countUse(appDatabase().pool, { of: ["password link", actor.id], max: maxUses.make, detail });
  return inTransaction(appDatabase(), async ({ orm }) => {
    existing(await lockUser(orm, userId), "user");
    authorize(actor, "user.manage", { isSelf: actor.kind === "user" && actor.id === userId });
    await endPasswordLinks(orm, userId);
    const { link, url } = await makeLink(orm, { userId, isMailed: false });
    if (link.status !== "open")
      throw new Problem("user_deactivated", "They could not sign in with a new password either");
    await record(orm, actor, {
      action: "user.make_password_link",
      user: link.user,
      after: { valid_hours: validHours.made },
    });
    return { url, expires_at: link.expires_at };
  });
}

/**
 * Mails a link for 1 hour to the user with this address, if there is one who may sign in and has a password. It is done
 * after the answer, so that neither that nor its time tells of the account. 404 without a mail server, 429 after too many.
 */
export async function askForPasswordLink(from: CallOrigin, { email }: ForgottenPassword): Promise<void> {
  if (!canMail()) throw notFound("way to a new password");
  await countAsked(appDatabase().pool, { email, address: from.address });
  void mailLinkTo(from, email).catch((error: unknown) =>
    createLogger("web").error({ err: error }, "a password link could not be made"),
  );
}

async function mailLinkTo(from: CallOrigin, email: string): Promise<void> {
  const made = await inTransaction(appDatabase(), async ({ orm }) => {
    const userId = await selectActiveUserId(orm, email);
    if (userId === null) return null;
    if ((await selectPasswordHash(orm, userId)) === null) return { id: userId, url: null };
    await lockUser(orm, userId);
    // Anybody may ask, so that what an admin made stays.
    await endPasswordLinks(orm, userId, { mailedOnly: true });
    const { link, url } = await makeLink(orm, { userId, isMailed: true });
    const actor = { ...systemActor, name: "Forgotten password", from };
    await record(orm, actor, {
      action: "user.make_password_link",
      user: link.user,
      after: { valid_hours: validHours.mailed },
    });
    return { id: link.id, url };
  });
  if (!made) return;
  const { id, url } = made;
  await (url === null ? mailWithoutPassword({ id, email }) : mailPasswordLink({ id, email, url }));
}

/** What whoever holds the link is told of it; null for a token that we did not make. */
export async function lookAtPasswordLink(token: string): Promise<PasswordLink | null> {
  return selectPasswordLink(appDatabase().orm, { tokenHash: hashLinkToken(token) });
}

/**
 * Sets the password of the link's user, uses the link up, and ends all of the user's sessions and other links. A second
 * factor is asked for as before. 410 with the reason for a link that cannot be used, 422 for a password that is too easy,
 * 429 after too many.
 */
export async function usePasswordLink(from: CallOrigin, { token, password }: NewPassword): Promise<void> {
  const { pool } = appDatabase();
  const detail = "Too many password links were used from this address; wait before the next one";
  await countUse(pool, { of: ["new password", networkOf(from.address)], max: maxUses.use, detail });
  const tokenHash = hashLinkToken(token);
  refuseWeakPassword(password, openLink(await selectPasswordLink(appDatabase().orm, { tokenHash })).user);
  // Before the transaction, which would hold its locks for as long as it takes.
  const hash = await hashPassword(password);
  const { email } = await inTransaction(appDatabase(), async ({ orm }) => {
    const { id, user } = await lockOpenLink(orm, { tokenHash });
    await markPasswordLinkUsed(orm, id);
    await endPasswordLinks(orm, user.id);
    await setPasswordHash(orm, { credentialId: uuidV7(), userId: user.id, hash });
    const ended = await deleteSessions(orm, user.id);
    await record(
      orm,
      { ...systemActor, name: "Password link", from },
      { action: "user.use_password_link", user, after: { sessions_ended: ended } },
    );
    return user;
  });
  // What failed before they gave up on the old one is not to keep them out with the new.
  await forgetTries(pool, { email, address: from.address }, []);
}

/** With its user locked, as by everybody who ends a link: of two who use one at once, one does. */
async function lockOpenLink(orm: Orm, by: { tokenHash: Buffer }): Promise<PasswordLink> {
  const found = await selectPasswordLink(orm, by);
  if (found) await lockUser(orm, found.user.id);
  return openLink(found && (await selectPasswordLink(orm, by)));
}

function openLink(link: PasswordLink | null): PasswordLink {
  if (link?.status === "open") return link;
  throw new Problem("link_not_valid", passwordLinkEndWords(link?.status ?? null));
}

/** Why a link leads nowhere; null stands for one that never was. */
export function passwordLinkEndWords(status: PasswordLinkStatus | null): string {
  switch (status) {
    case "used":
      return "This link was used already, and works once";
    case "expired":
      return "This link has expired";
    case "ended":
      return "This link was replaced by a newer one, or its account was changed since";
    default:
      return "There is no such link";
  }
}

async function makeLink(
  orm: Orm,
  { userId, isMailed }: { userId: string; isMailed: boolean },
): Promise<{ link: PasswordLink; url: string }> {
  const id = uuidV7();
  const token = makeLinkToken();
  const hours = isMailed ? validHours.mailed : validHours.made;
  await insertPasswordLink(orm, {
    id,
    userId,
    tokenHash: hashLinkToken(token),
    isMailed,
    validHours: hours,
  });
  const link = existing(await selectPasswordLink(orm, { id }), "password link");
  return { link, url: `${consoleOrigin()}/new-password?token=${token}` };
}

type Entry = {
  action: AuditAction;
  user: { id: string; affiliateId: string | null };
  after: Record<string, unknown>;
};

async function record(orm: Orm, actor: AuditActor, { action, user, after }: Entry): Promise<void> {
  const { id, affiliateId } = user;
  await recordAudit(orm, actor, {
    action,
    objectKind: "user",
    objectId: id,
    ...(affiliateId === null ? {} : { affiliateId }),
    after,
  });
}
