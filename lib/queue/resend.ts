import type pg from "pg";
import { plainArray } from "#lib/db/arrays.ts";
import type { RequeueRefusal } from "#lib/vocabulary.ts";
import { isBehind, lockKeys, supersededBy, unfinished } from "./ordering.ts";
import { createParameters, judged, type Parameters, type Selection, verdict } from "./requeue-filter.ts";

/** Why a delivery cannot be put back. */
export type ResendRefusal = Exclude<RequeueRefusal, "already_ended" | "moved_on">;
export type ResendResult = "resent" | "not_found" | ResendRefusal;

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
  const parameters = createParameters();
  const verdicts = await judge<ResendRefusal>(client, {
    ids: [id],
    selection: { operation: "requeue", renderAgain: renderedAgain, filter: { ids: [id] } },
    isSuperseded: () => (force ? "false" : supersededBy("t")),
    stillMeant: "true",
    parameters,
  });
  const found = verdicts.get(id);
  if (found !== "accepted") return found ?? "not_found";
  await putBack(client, [id]);
  return "resent";
}

/**
 * What becomes of each of these deliveries, which it locks in order of their ids; what does not fit `stillMeant` (about d)
 * any more is not among them. The health of the endpoints of those with a key is to be locked (lockKeys).
 */
export async function judge<Refusal extends RequeueRefusal>(
  client: pg.ClientBase,
  options: {
    ids: readonly string[];
    selection: Pick<Selection, "operation" | "renderAgain" | "filter">;
    isSuperseded: () => string;
    stillMeant: string;
    /** Of `stillMeant`, and what `isSuperseded` adds. */
    parameters: Parameters;
  },
): Promise<Map<string, "accepted" | Refusal>> {
  const { ids, selection, isSuperseded, stillMeant, parameters } = options;
  const among = parameters.add(plainArray(ids), "bigint[]");
  const { rows } = await client.query<{ id: string; verdict: "accepted" | Refusal }>({
    text: `with target as materialized (
        select ${judged.delivery}, ${judged.endpoint}
        from posthorn.deliveries d join posthorn.endpoints e on e.id = d.endpoint_id
        where d.id = any(${among}) and ${stillMeant} order by d.id for update of d
      )
      select t.id, ${verdict(selection, isSuperseded)} as verdict from target t`,
    values: parameters.values,
  });
  return new Map(rows.map((row) => [row.id, row.verdict]));
}

/** Puts back what was judged to be accepted, and holds back what comes after it in its key. */
export async function putBack(client: pg.ClientBase, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await client.query({
    name: "put_back",
    text: `
with j as materialized (
  select d.id, d.endpoint_id, d.ordering_key, e.ordering, d.ordering_key is not null and e.ordering <> 'none' as ordered,
    row_number() over (partition by d.endpoint_id, d.ordering_key order by d.id) > 1 as follows
  from posthorn.deliveries d join posthorn.endpoints e on e.id = d.endpoint_id
  where d.id = any($1::bigint[])
), held_back as (
  update posthorn.deliveries l set blocked = true
  from j
  where j.ordered and not j.follows and not l.blocked and l.id > j.id and l.id <> all($1::bigint[])
    and l.endpoint_id = j.endpoint_id and l.ordering_key = j.ordering_key and ${unfinished("l")}
)
update posthorn.deliveries d
set state = 'pending', attempts_charged = 0, lost_in_a_row = 0, next_attempt_at = now(), reason = null, ended_at = null,
  blocked = j.ordered and (j.follows or ${isBehind("j")})
from j where d.id = j.id`,
    values: [plainArray(ids)],
  });
}
