import type pg from "pg";
import { alone } from "./alone.ts";

/** So long nothing but failures, and so many of them, or so long an open breaker, is failing and not a hiccup. */
const failingMinutes = 10;
const failingAttempts = 5;

/**
 * What there is to tell of an endpoint now, in SQL over endpoints `e`, their health `h` and what was last told `n`: what
 * stops on purpose changes nothing, and recovered is what has succeeded since.
 */
const standing = `case
    when e.status = 'disabled' then 'disabled'
    when e.status = 'active' and h.failing_since <= now() - interval '${failingMinutes} minutes'
      and h.failing_attempts >= ${failingAttempts} then 'failing'
    when e.status = 'active' and h.breaker = 'open' and h.breaker_held_by is null
      and h.breaker_changed_at <= now() - interval '${failingMinutes} minutes' then 'failing'
    when e.status = 'active' and n.kind is not null and h.last_success_at > n.since and h.failing_since is null
      and h.breaker = 'closed' then 'recovered'
    else coalesce(n.kind::text, 'recovered') end`;

/**
 * Notes every endpoint whose state has changed since somebody was last told, and who is to be told where: in one
 * statement, so that it happens once or not at all. Returns how many changed; 0 where another worker is at it.
 */
export function noticeChanges(pool: pg.Pool, { email }: { email: boolean }): Promise<number> {
  return alone(pool, "posthorn.notices", async () => {
    const { rows } = await pool.query<{ n: number }>({
      text: `with standing as materialized (
          select e.id, e.affiliate_id, n.kind as told, h.last_failure_reason, h.last_failure_status, h.failing_since,
            (${standing})::posthorn.notice_kind as kind
          from posthorn.endpoints e
          join posthorn.endpoint_health h on h.endpoint_id = e.id
          left join posthorn.notice_states n on n.endpoint_id = e.id
          where e.deleted_at is null
            and (n.endpoint_id is not null or e.status = 'disabled' or h.failing_since is not null or h.breaker <> 'closed')
        ), changed as (
          select * from standing where kind <> coalesce(told, 'recovered')
        ), forgotten as (
          delete from posthorn.notice_states s using changed c where s.endpoint_id = c.id and c.kind = 'recovered'
        ), remembered as (
          insert into posthorn.notice_states (endpoint_id, kind)
          select id, kind from changed where kind <> 'recovered'
          on conflict (endpoint_id) do update set kind = excluded.kind, since = now()
        ), noted as (
          insert into posthorn.notices (affiliate_id, endpoint_id, kind, reason, status, failing_since)
          select affiliate_id, id, kind, case when kind <> 'recovered' then last_failure_reason end,
            case when kind <> 'recovered' then last_failure_status end,
            case when kind <> 'recovered' then failing_since end
          from changed returning id, affiliate_id, kind
        ), sends as (
          insert into posthorn.notice_sends (id, notice_id, user_id, channel)
          select gen_random_uuid(), noted.id, u.id, way.channel
          from noted
          join posthorn.users u on u.affiliate_id = noted.affiliate_id and u.deactivated_at is null
          left join posthorn.notice_settings s on s.user_id = u.id
          cross join lateral (values
            ('email'::posthorn.notice_channel, $1 and coalesce(s.by_email, true)),
            ('webhook', s.webhook_url is not null)) way (channel, wanted)
          where way.wanted and (s.user_id is null or noted.kind = any(s.kinds))
        )
        select count(*)::int as n from changed`,
      values: [email],
    });
    return rows[0]?.n ?? 0;
  });
}
