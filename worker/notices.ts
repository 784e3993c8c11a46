import { createSecretKey } from "node:crypto";
import type pg from "pg";
import { webhookBody, webhookHeaders } from "#lib/delivery/request.ts";
import { signWebhook } from "#lib/delivery/signature.ts";
import type { Sender } from "#lib/http/send.ts";
import type { Logger } from "#lib/log.ts";
import type { Mailer } from "#lib/mail/mailer.ts";
import { type DueNotice, settleNotice, takeDueNotices } from "#lib/notices/queries.ts";
import { noticeMail } from "#lib/notices/words.ts";
import { decryptSecret } from "#lib/secrets.ts";

export const noticeBatchSize = 20;
/** Longer than a whole batch can take: each goes out beside the others. */
const leaseSeconds = 120;
const webhookTimeoutMs = 15_000;
/** Before the second attempt and those after it; then it is given up on. */
const waitsSeconds = [60, 300, 1_800, 7_200];

export type NoticeOptions = {
  pool: pg.Pool;
  sender: Sender;
  /** Null where no SMTP server is configured. */
  mailer: Mailer | null;
  /** The current key, then those before it. */
  secretKeys: readonly Buffer[];
  /** Where the portal is; undefined where nobody has said so. */
  publicUrl: string | undefined;
  log: Logger;
};

/** Sends a batch of what is due, whichever worker noted it; returns how many that were. */
export async function sendNotices(options: NoticeOptions): Promise<number> {
  const due = await takeDueNotices(options.pool, { limit: noticeBatchSize, leaseSeconds });
  await Promise.all(due.map((notice) => sendOne(notice, options)));
  return due.length;
}

async function sendOne(notice: DueNotice, options: NoticeOptions): Promise<void> {
  const { pool, log } = options;
  if (!notice.wanted) return settleNotice(pool, notice, { state: "dropped" });
  const way = notice.channel === "email" ? mailed : posted;
  const failure = await way(notice, options).catch((error: unknown) => {
    log.error({ err: error, notice: notice.id }, "a notice could not be made");
    return "could_not_be_made";
  });
  if (failure === null) return settleNotice(pool, notice, { state: "sent" });
  log.warn(
    { notice: notice.id, channel: notice.channel, attempt: notice.attempts, failure },
    "notice not sent",
  );
  const againInSeconds = waitsSeconds[notice.attempts - 1];
  if (againInSeconds === undefined) return settleNotice(pool, notice, { state: "failed", failure });
  return settleNotice(pool, notice, { state: "pending", failure, againInSeconds });
}

/** Null when the server took it, else a code of ours or the server's; its words may hold the address. */
async function mailed(notice: DueNotice, { mailer, publicUrl }: NoticeOptions): Promise<string | null> {
  if (mailer === null) return "smtp_not_configured";
  const mail = noticeMail({
    kind: notice.kind,
    at: notice.at.toISOString(),
    reason: notice.reason,
    status: notice.status,
    failing_since: notice.failingSince?.toISOString() ?? null,
    endpointName: notice.endpointName,
    endpointUrl: notice.endpointUrl,
    endpointHref: publicUrl === undefined ? null : `${publicUrl}/portal/endpoints/${notice.endpointId}`,
    settingsHref: publicUrl === undefined ? null : `${publicUrl}/portal/notices`,
  });
  return mailer.send({ to: notice.email, ...mail });
}

/** Signed as every webhook is; null for a 2xx, else the status or the transport's code. */
async function posted(notice: DueNotice, { sender, secretKeys }: NoticeOptions): Promise<string | null> {
  const { id, userId, webhookUrl, webhookSecret } = notice;
  if (webhookUrl === null || webhookSecret === null) return "no_webhook";
  const key = createSecretKey(decryptSecret(webhookSecret, { keys: secretKeys, context: userId }));
  const data = {
    endpoint: { id: notice.endpointId, name: notice.endpointName },
    affiliate: notice.affiliateKey,
    reason: notice.reason,
    status: notice.status,
    failing_since: notice.failingSince?.toISOString() ?? null,
  };
  const body = webhookBody({
    id,
    type: `endpoint.${notice.kind}`,
    occurredAt: notice.at,
    data: Buffer.from(JSON.stringify(data)),
  });
  const timestampSeconds = Math.floor(notice.now.getTime() / 1_000);
  const signature = signWebhook({ id, timestampSeconds, body }, [key]);
  const headers = webhookHeaders({
    eventId: id,
    timestampSeconds,
    signature,
    attemptNumber: notice.attempts,
  });
  const sent = await sender.send({ url: webhookUrl, headers, body, timeoutMs: webhookTimeoutMs });
  if (!sent.ok) return sent.errorCode;
  return sent.status >= 200 && sent.status < 300 ? null : `status ${sent.status}`;
}
