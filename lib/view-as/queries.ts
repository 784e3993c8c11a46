import type { AuditAction } from "#lib/audit/actions.ts";
import type { CallOrigin } from "#lib/auth/actor.ts";
import type { Queryable } from "#lib/db/database.ts";

const stopped: AuditAction = "affiliate.stop_viewing";

/** Lets the session see the affiliate's portal for so long; when it ends. */
export async function startView(
  db: Queryable,
  { sessionId, affiliateId, minutes }: { sessionId: string; affiliateId: string; minutes: number },
): Promise<Date | null> {
  const { rows } = await db.query<{ view_ends_at: Date }>(
    `update posthorn.sessions set viewed_affiliate_id = $2, view_ends_at = now() + make_interval(mins => $3)
     where id = $1 returning view_ends_at`,
    [sessionId, affiliateId, minutes],
  );
  return rows[0]?.view_ends_at ?? null;
}

/** Ends a session's view, if there is one, with its line in the audit log, in one statement: of many at once, one does. */
export async function endView(
  db: Queryable,
  { sessionId, id, name, from }: { sessionId: string; id: string; name: string; from: CallOrigin },
): Promise<void> {
  await db.query(
    `with was as (
       select id, viewed_affiliate_id from posthorn.sessions
       where id = $1 and viewed_affiliate_id is not null for update
     ), ended as (
       update posthorn.sessions s set viewed_affiliate_id = null, view_ends_at = null
       from was where s.id = was.id returning was.viewed_affiliate_id as affiliate_id
     )
     insert into posthorn.audit_log
       (actor_kind, actor_id, actor_name, address, user_agent, action, object_kind, object_id, affiliate_id)
     select 'user', $2, $3, $4, $5, '${stopped}', 'affiliate', affiliate_id::text, affiliate_id from ended`,
    [sessionId, id, name, from.address, from.userAgent],
  );
}
