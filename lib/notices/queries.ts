import { desc, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { endpoints, noticeSends, noticeSettings, notices } from "#drizzle/schema/index.ts";
import { keyset } from "#lib/api/keyset.ts";
import type { Page } from "#lib/api/paging.ts";
import type { Orm, Queryable } from "#lib/db/database.ts";
import { type NoticeChannel, type NoticeKind, noticeKinds, type Reason } from "#lib/vocabulary.ts";
import { type Notice, type NoticeListQuery, noticeId } from "./schema.ts";

export type StoredNoticeSettings = {
  kinds: NoticeKind[];
  byEmail: boolean;
  webhookUrl: string | null;
  webhookSecret: Buffer | null;
};

const untouched: StoredNoticeSettings = {
  kinds: [...noticeKinds],
  byEmail: true,
  webhookUrl: null,
  webhookSecret: null,
};

/** Those of a user who has chosen none are all kinds by e-mail. */
export async function selectNoticeSettings(orm: Orm, userId: string): Promise<StoredNoticeSettings> {
  const [row] = await orm.select().from(noticeSettings).where(eq(noticeSettings.userId, userId));
  if (!row) return untouched;
  const { kinds, byEmail, webhookUrl, webhookSecret } = row;
  return { kinds, byEmail, webhookUrl, webhookSecret };
}

/**
 * Takes turns with every other change of this user's settings, until the transaction ends. False when they have become
 * another affiliate's, or nobody's, by then.
 */
export async function lockNoticeSettings(
  db: Queryable,
  { userId, affiliateId }: { userId: string; affiliateId: string | null },
): Promise<boolean> {
  const { rowCount } = await db.query(
    "select from posthorn.users where id = $1 and affiliate_id = $2 for no key update",
    [userId, affiliateId],
  );
  return rowCount === 1;
}

/** What was chosen for one affiliate, a webhook among it, is not to be told of another. */
export async function deleteNoticeSettings(orm: Orm, userId: string): Promise<void> {
  await orm.delete(noticeSettings).where(eq(noticeSettings.userId, userId));
}

export async function saveNoticeSettings(
  orm: Orm,
  userId: string,
  settings: StoredNoticeSettings,
): Promise<void> {
  await orm
    .insert(noticeSettings)
    .values({ userId, ...settings })
    .onConflictDoUpdate({ target: noticeSettings.userId, set: { ...settings, updatedAt: sql`now()` } });
}

/** One page of an affiliate's notices, latest first, with what became of those to this user. */
export async function selectNotices(
  orm: Orm,
  query: NoticeListQuery & { affiliateId: string; userId: string },
): Promise<Page<Notice>> {
  const list = keyset(query, { columns: [notices.id], key: z.tuple([noticeId]), order: "descending" });
  const sends = sql<
    Notice["sends"]
  >`(select coalesce(json_agg(json_build_object('channel', s.channel, 'state', s.state,
    'attempts', s.attempts, 'failure', s.failure) order by s.channel), '[]')
    from ${noticeSends} s where s.notice_id = ${notices}.id and s.user_id = ${query.userId})`;
  const rows = await orm
    .select({ notice: notices, name: endpoints.name, deletedAt: endpoints.deletedAt, sends })
    .from(notices)
    .innerJoin(endpoints, eq(endpoints.id, notices.endpointId))
    .where(sql`${notices.affiliateId} = ${query.affiliateId} and ${list.where ?? sql`true`}`)
    .orderBy(list.orderBy, desc(notices.id))
    .limit(list.fetch);
  return list.page(rows, {
    key: ({ notice }) => [String(notice.id)],
    item: ({ notice, name, deletedAt, sends }) => ({
      id: String(notice.id),
      at: notice.at.toISOString(),
      kind: notice.kind,
      endpoint: { id: notice.endpointId, name, deleted: deletedAt !== null },
      reason: notice.reason,
      status: notice.status,
      failing_since: notice.failingSince?.toISOString() ?? null,
      sends,
    }),
  });
}

/** One notice that is to be sent now; `wanted` false: whom it was for is gone, or no longer wants it. */
export type DueNotice = {
  id: string;
  channel: NoticeChannel;
  attempts: number;
  now: Date;
  wanted: boolean;
  userId: string;
  email: string;
  webhookUrl: string | null;
  webhookSecret: Buffer | null;
  at: Date;
  kind: NoticeKind;
  endpointId: string;
  endpointName: string;
  endpointUrl: string;
  affiliateKey: string;
  reason: Reason | null;
  status: number | null;
  failingSince: Date | null;
};

/**
 * Takes what is due, each for `leaseSeconds`: of several workers at once one gets it, and where that one is lost, another
 * does after that time. No transaction is held while it is sent.
 */
export async function takeDueNotices(
  db: Queryable,
  { limit, leaseSeconds }: { limit: number; leaseSeconds: number },
): Promise<DueNotice[]> {
  const { rows } = await db.query<DueNotice>({
    text: `with due as materialized (
        select id from posthorn.notice_sends where state = 'pending' and next_attempt_at <= now()
        order by next_attempt_at limit $1 for update skip locked
      ), taken as (
        update posthorn.notice_sends s
        set attempts = s.attempts + 1, next_attempt_at = now() + $2 * interval '1 second'
        from due where s.id = due.id returning s.*
      )
      select t.id, t.channel, t.attempts, now() as now, u.id as "userId", u.email, s.webhook_url as "webhookUrl",
        s.webhook_secret as "webhookSecret", n.at, n.kind, e.id as "endpointId", e.name as "endpointName",
        e.url as "endpointUrl", a.key as "affiliateKey", n.reason, n.status, n.failing_since as "failingSince",
        u.deactivated_at is null and a.deleted_at is null and e.deleted_at is null
          and u.affiliate_id is not distinct from n.affiliate_id
          and (s.user_id is null or n.kind = any(s.kinds))
          and case t.channel when 'email' then coalesce(s.by_email, true) else s.webhook_url is not null end as wanted
      from taken t
      join posthorn.notices n on n.id = t.notice_id
      join posthorn.endpoints e on e.id = n.endpoint_id
      join posthorn.affiliates a on a.id = n.affiliate_id
      join posthorn.users u on u.id = t.user_id
      left join posthorn.notice_settings s on s.user_id = u.id
      order by t.id`,
    values: [limit, leaseSeconds],
  });
  return rows;
}

type Outcome =
  | { state: "sent" | "dropped" }
  | { state: "failed"; failure: string }
  | { state: "pending"; failure: string; againInSeconds: number };

/** Notes what came of an attempt, unless another worker has taken the notice since. */
export async function settleNotice(
  db: Queryable,
  { id, attempts }: Pick<DueNotice, "id" | "attempts">,
  outcome: Outcome,
): Promise<void> {
  const failure = "failure" in outcome ? outcome.failure : null;
  const againInSeconds = outcome.state === "pending" ? outcome.againInSeconds : 0;
  await db.query(
    `update posthorn.notice_sends set state = $3::posthorn.notice_send_state, failure = $4,
       next_attempt_at = now() + $5 * interval '1 second',
       ended_at = case when $3 <> 'pending' then now() end
     where id = $1 and attempts = $2 and state = 'pending'`,
    [id, attempts, outcome.state, failure, againInSeconds],
  );
}

const keptDays = 90;

export async function forgetOldNotices(db: Queryable): Promise<void> {
  await db.query(`delete from posthorn.notices where at < now() - interval '${keptDays} days'`);
}
