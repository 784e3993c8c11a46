import type pg from "pg";
import { isBehind, lockKeys, supersededBy, unfinished } from "./ordering.ts";

export type ResendResult =
  | "resent"
  | "not_found"
  | "in_flight"
  | "already_waiting"
  | "skipped"
  | "cannot_render"
  | "body_purged"
  | "endpoint_deleted"
  | "superseded";

/**
 * Puts one delivery back to `pending`, due now, with a fresh set of attempts; numbers go on. Run it in the
 * transaction that records who asked. Of two at once, one gets `resent` and the other `already_waiting`:
 * the row is locked before it is judged. A scheduled retry is brought forward rather than doubled, with its
 * attempts refreshed.
 *
 * Where its endpoint keeps an order it takes its old place in its key: it waits behind what is unfinished before it,
 * and what comes after it waits again. `superseded`: one after it has been attempted already, so that the receiver
 * would see the two in the wrong order. `force` puts it back all the same.
 *
 * What was skipped goes only once it was `renderedAgain` (lib/queue/render-again.ts, earlier in the transaction);
 * `cannot_render`: a postback that was never rendered.
 */
export async function resendDelivery(
  client: pg.ClientBase,
  id: string,
  { force = false, renderedAgain = false }: { force?: boolean; renderedAgain?: boolean } = {},
): Promise<ResendResult> {
  await lockKeys(client, [id]);
  const { rows } = await client.query<{ verdict: ResendResult }>({
    name: "resend",
    text: `
with target as materialized (
  select d.id, d.state, d.event_id, d.event_received_at, e.deleted_at is not null as endpoint_deleted,
    e.kind, case when e.kind = 'postback' then exists (select from posthorn.delivery_requests r
      where r.delivery_id = d.id and r.received_at = d.event_received_at) else k.event_kept end as kept, k.event_kept,
    d.endpoint_id, d.ordering_key, e.ordering, d.ordering_key is not null and e.ordering <> 'none' as ordered
  from posthorn.deliveries d join posthorn.endpoints e on e.id = d.endpoint_id, lateral (
    select exists (select from posthorn.event_bodies b
      where b.event_id = d.event_id and b.received_at = d.event_received_at) as event_kept) k
  where d.id = $1 for update of d
), judged as materialized (
  select t.*, case
    when t.state = 'in_flight' then 'in_flight'
    when t.state = 'pending' then 'already_waiting'
    when t.endpoint_deleted then 'endpoint_deleted'
    when t.state = 'skipped' and not $3 then 'skipped'
    when not t.kept and t.kind = 'postback' and t.event_kept then 'cannot_render'
    when not t.kept then 'body_purged'
    when t.ordered and not $2 and ${supersededBy("t")} then 'superseded'
    else 'resent' end as verdict
  from target t
), put_back as (
  update posthorn.deliveries d
  set state = 'pending', attempts_charged = 0, lost_in_a_row = 0, next_attempt_at = now(), reason = null, ended_at = null,
    blocked = j.ordered and ${isBehind("j")}
  from judged j where d.id = j.id and j.verdict = 'resent'
), held_back as (
  update posthorn.deliveries l set blocked = true
  from judged j
  where j.verdict = 'resent' and j.ordered and not l.blocked and l.id > j.id
    and l.endpoint_id = j.endpoint_id and l.ordering_key = j.ordering_key and ${unfinished("l")}
)
select verdict from judged`,
    values: [id, force, renderedAgain],
  });
  return rows[0]?.verdict ?? "not_found";
}
