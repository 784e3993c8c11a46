import { hashPassword } from "better-auth/crypto";
import { v7 as uuidV7 } from "uuid";
import { createUser, refuseWeakPassword } from "#lib/accounts/create-user.ts";
import { networkOf } from "#lib/accounts/network.ts";
import { countUse } from "#lib/accounts/throttle.ts";
import { namedAffiliate } from "#lib/affiliates/named.ts";
import type { Page } from "#lib/api/paging.ts";
import type { AuditAction } from "#lib/audit/actions.ts";
import { type AuditActor, recordAudit } from "#lib/audit/record.ts";
import { type Actor, type CallOrigin, systemActor } from "#lib/auth/actor.ts";
import { hashLinkToken, makeLinkToken } from "#lib/auth/link-token.ts";
import { authorize } from "#lib/auth/permissions.ts";
import { consoleOrigin } from "#lib/config.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inTransaction, type Orm } from "#lib/db/database.ts";
import { existing, Problem } from "#lib/errors.ts";
import type { InvitationStatus } from "#lib/vocabulary.ts";
import { mailInvitation } from "./mail.ts";
import {
  insertInvitation,
  isEmailTaken,
  lockInvitation,
  markInvitation,
  revokeInvitationsTo,
  selectInvitation,
  selectInvitations,
} from "./queries.ts";
import type {
  Invitation,
  InvitationAcceptance,
  InvitationCreate,
  InvitationCreated,
  InvitationListQuery,
} from "./schema.ts";

const validDays = 7;
/** Within 15 minutes: by one admin, and uses of links from one address. */
const maxUses = { invite: 50, accept: 20 } as const;

/** One page of invitations, newest first, those that ended among them. */
export async function listInvitations(actor: Actor, query: InvitationListQuery): Promise<Page<Invitation>> {
  authorize(actor, "user.manage");
  return selectInvitations(appDatabase().orm, query);
}

/**
 * Makes a link for one person and one use, which is answered this once, goes out by e-mail where there is a mail server,
 * and lasts 7 days; an earlier one for the address ends. Whether the address is a user's already, the answer does not tell. 422 for an affiliate that does not exist, 429
 * after too many.
 */
export async function inviteUser(actor: Actor, input: InvitationCreate): Promise<InvitationCreated> {
  authorize(actor, "user.manage");
  const detail = "Too many invitations; wait before the next one";
  await countUse(appDatabase().pool, { of: ["invite", actor.id], max: maxUses.invite, detail });
  const { email, role } = input;
  const made = await inTransaction(appDatabase(), async ({ orm }) => {
    const affiliate = input.affiliate === null ? null : await namedAffiliate(orm, input.affiliate);
    for (const replaced of await revokeInvitationsTo(orm, email))
      await record(orm, actor, { action: "invitation.revoke", invitation: { id: replaced, email } });
    const id = uuidV7();
    const token = makeLinkToken();
    await insertInvitation(orm, {
      id,
      tokenHash: hashLinkToken(token),
      email,
      role,
      affiliateId: affiliate?.id ?? null,
      createdBy: actor.name,
      validDays,
    });
    await record(orm, actor, {
      action: "invitation.create",
      invitation: { id, email, affiliate },
      after: { role, ...(affiliate ? { affiliate: affiliate.key } : {}) },
    });
    return { ...existing(await selectInvitation(orm, { id }), "invitation"), url: urlOf(token) };
  });
  return {
    ...made,
    emailed: await mailInvitation({ id: made.id, email, url: made.url, invitedBy: actor.name }),
  };
}

/** Ends a link. Nothing changes for one that has ended. 404 when there is none. */
export async function revokeInvitation(actor: Actor, id: string): Promise<void> {
  authorize(actor, "user.manage");
  await inTransaction(appDatabase(), async ({ orm }) => {
    const invitation = existing(await lockInvitation(orm, { id }), "invitation");
    if (invitation.status !== "open") return;
    await markInvitation(orm, id, "revoked");
    await record(orm, actor, { action: "invitation.revoke", invitation });
  });
}

/** What whoever holds the link is told of it; null for a token that we did not make. */
export async function lookAtInvitation(token: string): Promise<Invitation | null> {
  return selectInvitation(appDatabase().orm, { tokenHash: hashLinkToken(token) });
}

/**
 * Makes the user that the invitation was for, who can sign in then, and uses the link up. Where the address has become a
 * user's by then, nobody is made, and the answer is the same. 410 with the reason for a link that cannot be used, 422 for
 * a password that is too easy, 429 after too many.
 */
export async function acceptInvitation(from: CallOrigin, given: InvitationAcceptance): Promise<void> {
  const detail = "Too many invitations were accepted from this address; wait before the next one";
  await countUse(appDatabase().pool, {
    of: ["accept", networkOf(from.address)],
    max: maxUses.accept,
    detail,
  });
  await acceptOnce(from, given).catch((error: unknown) => {
    // Somebody took the address in this very moment: now it is seen to be taken.
    if (!(error instanceof Problem && error.code === "already_exists")) throw error;
    return acceptOnce(from, given);
  });
}

async function acceptOnce(from: CallOrigin, { token, name, password }: InvitationAcceptance): Promise<void> {
  const actor = { ...systemActor, name: "Invitation", from };
  await inTransaction(appDatabase(), async ({ orm }) => {
    const invitation = await lockInvitation(orm, { tokenHash: hashLinkToken(token) });
    if (invitation?.status !== "open")
      throw new Problem("link_not_valid", invitationEndWords(invitation?.status ?? null));
    const { id, email, role, affiliate } = invitation;
    refuseWeakPassword(password, { email });
    await markInvitation(orm, id, "accepted");
    const isTaken = await isEmailTaken(orm, email);
    // It takes as long as making a user does.
    if (isTaken) await hashPassword(password);
    else await createUser(orm, actor, { name, email, password, role, affiliateId: affiliate?.id ?? null });
    await record(orm, actor, {
      action: "invitation.accept",
      invitation,
      after: { user_created: !isTaken },
    });
  });
}

/** Why a link leads nowhere; null stands for one that never was. */
export function invitationEndWords(status: InvitationStatus | null): string {
  switch (status) {
    case "accepted":
      return "This invitation was used already, and works once";
    case "expired":
      return `This invitation has expired: it lasted ${validDays} days`;
    case "revoked":
      return "This invitation was revoked, or replaced by a newer one";
    default:
      return "There is no such invitation";
  }
}

type Entry = {
  action: AuditAction;
  invitation: { id: string; email: string; affiliate?: { id: string } | null };
  after?: Record<string, unknown>;
};

async function record(orm: Orm, actor: AuditActor, { action, invitation, after }: Entry): Promise<void> {
  const { id, email, affiliate } = invitation;
  await recordAudit(orm, actor, {
    action,
    objectKind: "invitation",
    objectId: id,
    ...(affiliate ? { affiliateId: affiliate.id } : {}),
    after: { email, ...after },
  });
}

function urlOf(token: string): string {
  return `${consoleOrigin()}/invitation?token=${token}`;
}
