import type { Queryable } from "#lib/db/database.ts";

export type ResendResult =
  | "resent"
  | "not_found"
  | "in_flight"
  | "already_waiting"
  | "body_purged"
  | "endpoint_deleted";

/**
 * Puts one delivery back to `pending`, due now, with a fresh set of attempts; numbers go on. Run it in the
 * transaction that records who asked. Of two at once, one gets `resent` and the other `already_waiting`:
 * the row is locked before it is judged. A scheduled retry is brought forward rather than doubled, with its
 * attempts refreshed.
 */
export async function resendDelivery(db: Queryable, id: string): Promise<ResendResult> {
  const { rows } = await db.query<{ verdict: ResendResult }>({
    name: "resend",
    text: `
with target as materialized (
  select d.id, d.state, d.event_id, d.event_received_at, e.deleted_at is not null as endpoint_deleted
  from posthorn.deliveries d join posthorn.endpoints e on e.id = d.endpoint_id
  where d.id = $1 for update of d
), judged as materialized (
  select t.id, case
    when t.state = 'in_flight' then 'in_flight'
    when t.state = 'pending' then 'already_waiting'
    when t.endpoint_deleted then 'endpoint_deleted'
    when not exists (select from posthorn.event_bodies b
      where b.event_id = t.event_id and b.received_at = t.event_received_at) then 'body_purged'
    else 'resent' end as verdict
  from target t
), put_back as (
  update posthorn.deliveries d
  set state = 'pending', attempts_charged = 0, lost_in_a_row = 0, next_attempt_at = now(), reason = null, ended_at = null
  from judged j where d.id = j.id and j.verdict = 'resent'
)
select verdict from judged`,
    values: [id],
  });
  return rows[0]?.verdict ?? "not_found";
}
