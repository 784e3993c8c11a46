import { requireAccount } from "#lib/accounts/own-account.ts";
import type { Page } from "#lib/api/paging.ts";
import { changedFields, recordAudit } from "#lib/audit/record.ts";
import type { Actor } from "#lib/auth/actor.ts";
import { authorize, isAffiliate } from "#lib/auth/permissions.ts";
import type { SessionActor } from "#lib/auth/session.ts";
import { config, secretKeys } from "#lib/config.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inTransaction, type Queryable } from "#lib/db/database.ts";
import { invalidField, Problem } from "#lib/errors.ts";
import { checkEndpointUrl } from "#lib/http/address-guard.ts";
import { encryptSecret, formatSigningSecret, generateSigningSecret } from "#lib/secrets.ts";
import {
  lockNoticeSettings,
  type StoredNoticeSettings,
  saveNoticeSettings,
  selectNoticeSettings,
  selectNotices,
} from "./queries.ts";
import type {
  Notice,
  NoticeListQuery,
  NoticeSecret,
  NoticeSettings,
  NoticeSettingsEdit,
  NoticeSettingsSaved,
} from "./schema.ts";

/** What changed about the affiliate's endpoints, latest first, and how this user was told. */
export async function listNotices(actor: Actor, query: NoticeListQuery): Promise<Page<Notice>> {
  authorize(actor, "alert.read");
  if (actor.affiliateId === null) throw new Problem("forbidden", "Notices are an affiliate's");
  return selectNotices(appDatabase().orm, { ...query, affiliateId: actor.affiliateId, userId: actor.id });
}

/** What the user is told, and where. */
export async function getNoticeSettings(actor: SessionActor): Promise<NoticeSettings> {
  return shown(await selectNoticeSettings(appDatabase().orm, accountOf(actor)));
}

/** Changes what is given. A first webhook gets a secret, which is answered this once; without a webhook there is none. */
export async function editNoticeSettings(
  actor: SessionActor,
  edit: NoticeSettingsEdit,
): Promise<NoticeSettingsSaved> {
  const userId = accountOf(actor);
  const url = edit.webhook_url ? checkedUrl(edit.webhook_url) : edit.webhook_url;
  return inTransaction(appDatabase(), async ({ client, orm }) => {
    await lockSettings(client, actor);
    const before = await selectNoticeSettings(orm, userId);
    const webhookUrl = url === undefined ? before.webhookUrl : url;
    const made = webhookUrl !== null && before.webhookSecret === null ? newSecret(userId) : null;
    const after: StoredNoticeSettings = {
      kinds: edit.kinds ?? before.kinds,
      byEmail: edit.by_email ?? before.byEmail,
      webhookUrl,
      webhookSecret: webhookUrl === null ? null : (made?.sealed ?? before.webhookSecret),
    };
    await saveNoticeSettings(orm, userId, after);
    const changes = changedFields(audited(before), audited(after));
    if (changes) {
      await recordAudit(orm, actor, {
        action: "notice.edit",
        objectKind: "user",
        objectId: userId,
        ...(actor.affiliateId === null ? {} : { affiliateId: actor.affiliateId }),
        ...changes,
      });
    }
    return { ...shown(after), ...(made ? { secret: made.text } : {}) };
  });
}

/** A new secret in place of the webhook's, from the next notice on; answered this once. 409 without a webhook. */
export async function replaceNoticeSecret(actor: SessionActor): Promise<NoticeSecret> {
  const userId = accountOf(actor);
  return inTransaction(appDatabase(), async ({ client, orm }) => {
    await lockSettings(client, actor);
    const settings = await selectNoticeSettings(orm, userId);
    if (settings.webhookUrl === null) throw new Problem("wrong_status", "There is no webhook for notices");
    const { sealed, text } = newSecret(userId);
    await saveNoticeSettings(orm, userId, { ...settings, webhookSecret: sealed });
    await recordAudit(orm, actor, {
      action: "notice.replace_secret",
      objectKind: "user",
      objectId: userId,
      ...(actor.affiliateId === null ? {} : { affiliateId: actor.affiliateId }),
    });
    return { secret: text };
  });
}

/** Who can be told is a user of an affiliate, with an account. */
function accountOf(actor: SessionActor): string {
  requireAccount(actor);
  if (!isAffiliate(actor)) throw new Problem("forbidden", "Notices are for the users of an affiliate");
  return actor.id;
}

async function lockSettings(db: Queryable, { id: userId, affiliateId }: SessionActor): Promise<void> {
  if (await lockNoticeSettings(db, { userId, affiliateId })) return;
  throw new Problem("forbidden", "You are not a user of this affiliate any more");
}

function newSecret(userId: string): { sealed: Buffer; text: string } {
  const secret = generateSigningSecret();
  const sealed = encryptSecret(secret, { key: secretKeys()[0], context: userId });
  return { sealed, text: formatSigningSecret(secret) };
}

function checkedUrl(text: string): string {
  const { allowHttp, allowedSubnets } = config();
  const check = checkEndpointUrl(text, { allowHttp, allowedSubnets });
  if (!check.ok) throw invalidField("webhook_url", check.message);
  return check.url;
}

/** Of the URL only where it leads: the rest of it may be a token. */
function audited({ kinds, byEmail, webhookUrl }: StoredNoticeSettings) {
  return {
    kinds: [...kinds].sort(),
    by_email: byEmail,
    webhook_host: webhookUrl === null ? null : (URL.parse(webhookUrl)?.host ?? null),
  };
}

function shown({ kinds, byEmail, webhookUrl }: StoredNoticeSettings): NoticeSettings {
  return {
    kinds,
    by_email: byEmail,
    webhook_url: webhookUrl,
    email_possible: config().smtp !== undefined,
  };
}
