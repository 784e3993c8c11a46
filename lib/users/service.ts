import { lockFirstAdmin } from "#lib/accounts/first-admin.ts";
import { deleteSessions } from "#lib/accounts/queries.ts";
import { namedAffiliate } from "#lib/affiliates/named.ts";
import type { Page } from "#lib/api/paging.ts";
import type { AuditAction } from "#lib/audit/actions.ts";
import { recordAudit } from "#lib/audit/record.ts";
import type { Actor } from "#lib/auth/actor.ts";
import { authorize } from "#lib/auth/permissions.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inTransaction, type Orm } from "#lib/db/database.ts";
import { existing, Problem } from "#lib/errors.ts";
import { deleteNoticeSettings } from "#lib/notices/queries.ts";
import { endPasswordLinks } from "#lib/password-links/queries.ts";
import {
  deleteSecondFactor,
  hasOtherAdmin,
  lockUser,
  selectUser,
  selectUsers,
  updateUserRole,
  updateUserStatus,
} from "./queries.ts";
import type { RoleOf, User, UserListQuery } from "./schema.ts";

/** One page of users, newest first, the deactivated ones among them. */
export async function listUsers(actor: Actor, query: UserListQuery): Promise<Page<User>> {
  authorize(actor, "user.manage");
  return selectUsers(appDatabase().orm, query);
}

/** 404 when there is none. */
export async function getUser(actor: Actor, id: string): Promise<User> {
  authorize(actor, "user.manage");
  return existing(await selectUser(appDatabase().orm, id), "user");
}

/**
 * Gives another role, which holds from their next request on. 403 for one's own, 409 for the last admin's, 422 for an
 * affiliate that does not exist.
 */
export async function changeUserRole(actor: Actor, id: string, given: RoleOf): Promise<User> {
  authorize(actor, "user.manage");
  return changingUser(actor, id, async (orm, user) => {
    const affiliate = given.affiliate === null ? null : await namedAffiliate(orm, given.affiliate);
    if (user.role === given.role && user.affiliate?.id === affiliate?.id) return;
    if (given.role !== "admin") await refuseLastAdmin(orm, user);
    await updateUserRole(orm, id, { role: given.role, affiliateId: affiliate?.id ?? null });
    if (user.affiliate?.id !== affiliate?.id) await deleteNoticeSettings(orm, id);
    await record(orm, actor, {
      action: "user.change_role",
      user: { ...user, affiliate: affiliate ?? user.affiliate },
      before: { role: user.role, affiliate: user.affiliate?.key ?? null },
      after: { role: given.role, affiliate: affiliate?.key ?? null },
    });
  });
}

/** Ends all of their sessions and lets them begin none. 403 for oneself, 409 for the last admin. */
export async function deactivateUser(actor: Actor, id: string): Promise<User> {
  authorize(actor, "user.manage");
  return changingUser(actor, id, async (orm, user) => {
    if (user.status === "deactivated") return;
    await refuseLastAdmin(orm, user);
    await updateUserStatus(orm, id, "deactivated");
    await endPasswordLinks(orm, id);
    const ended = await deleteSessions(orm, id);
    await record(orm, actor, { action: "user.deactivate", user, after: { sessions_ended: ended } });
  });
}

/** Lets them sign in again, with the password and role that they had. */
export async function reactivateUser(actor: Actor, id: string): Promise<User> {
  authorize(actor, "user.manage");
  return changingUser(actor, id, async (orm, user) => {
    if (user.status === "active") return;
    await updateUserStatus(orm, id, "active");
    await record(orm, actor, { action: "user.reactivate", user });
  });
}

/** Signs them out everywhere; they may sign in again. 403 for oneself, who has the account page for it. */
export async function endUserSessions(actor: Actor, id: string): Promise<User> {
  authorize(actor, "user.manage");
  return changingUser(actor, id, async (orm, user) => {
    const ended = await deleteSessions(orm, id);
    await record(orm, actor, { action: "user.end_sessions", user, after: { sessions_ended: ended } });
  });
}

/** For somebody who lost their app and backup codes: signing in asks for the password alone. 403 for oneself. */
export async function resetSecondFactor(actor: Actor, id: string): Promise<User> {
  authorize(actor, "user.manage");
  return changingUser(actor, id, async (orm, user) => {
    if (!user.two_factor) return;
    await deleteSecondFactor(orm, id);
    await record(orm, actor, { action: "user.reset_second_factor", user });
  });
}

/**
 * Changes to users come one after another, so that of two admins who demote each other, one stays. Answers the user as
 * they are then; 404 when there is none.
 */
async function changingUser(
  actor: Actor,
  id: string,
  change: (orm: Orm, user: User) => Promise<void>,
): Promise<User> {
  return inTransaction(appDatabase(), async ({ client, orm }) => {
    await lockFirstAdmin(client);
    const user = existing(await lockUser(orm, id), "user");
    authorize(actor, "user.manage", { isSelf: actor.kind === "user" && actor.id === id });
    await change(orm, user);
    return existing(await selectUser(orm, id), "user");
  });
}

async function refuseLastAdmin(orm: Orm, user: User): Promise<void> {
  if (user.role !== "admin" || user.status !== "active" || (await hasOtherAdmin(orm, user.id))) return;
  throw new Problem("last_admin", "This is the last admin; make somebody else one first");
}

type Change = {
  action: AuditAction;
  user: User;
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
};

async function record(orm: Orm, actor: Actor, { action, user, ...values }: Change): Promise<void> {
  await recordAudit(orm, actor, {
    action,
    objectKind: "user",
    objectId: user.id,
    ...(user.affiliate ? { affiliateId: user.affiliate.id } : {}),
    ...values,
  });
}
