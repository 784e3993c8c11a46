import type { RequeueFilter } from "#drizzle/schema/operations.ts";
import { inStatusClass } from "#lib/db/status-class.ts";
import type { RequeueOperation, RequeueSource } from "#lib/vocabulary.ts";
import { supersededBy } from "./ordering.ts";

/** What a requeue is about. Preview, overlap and run are made of the same SQL, so that they agree. */
export type Selection = {
  operation: RequeueOperation;
  renderAgain: boolean;
  filter: RequeueFilter;
  /** What failed later is not in it. */
  asOf: Date;
  /** Null before anybody looked how far the ids go. */
  lastId: string | null;
};

/** Collects the values of a statement that is put together; `add` gives a value's place in it. */
export type Parameters = { values: unknown[]; add: (value: unknown, type: string) => string };

export function createParameters(): Parameters {
  const values: unknown[] = [];
  return { values, add: (value, type) => `$${values.push(value)}::${type}` };
}

function sourcesOf({ states }: RequeueFilter): readonly RequeueSource[] {
  return states ?? ["dead_letter"];
}

/** SQL: when `row` failed; for what was never tried, when it was made. */
const failedAt = (row: string) => `coalesce(${row}.ended_at, ${row}.last_attempt_at, ${row}.created_at)`;

/** SQL: its endpoint is paused or disabled. */
const isStopped = (row: string) =>
  `exists (select from posthorn.endpoints s where s.id = ${row}.endpoint_id and s.status <> 'active')`;

const sourceConditions = {
  dead_letter: (row) => `${row}.state = 'dead_letter'`,
  failed: (row) => `${row}.state = 'failed'`,
  held: (row) => `(${row}.state in ('pending', 'failed') and ${isStopped(row)})`,
} satisfies Record<RequeueSource, (row: string) => string>;

/** SQL: whether the selection means this row of deliveries. */
export function isMeant(row: string, { filter, asOf, lastId }: Selection, parameters: Parameters): string {
  const { add } = parameters;
  const chosen = filter.ids
    ? [`${row}.id = any(${add(filter.ids, "bigint[]")})`]
    : [
        `(${sourcesOf(filter)
          .map((source) => sourceConditions[source](row))
          .join(" or ")})`,
        `${failedAt(row)} <= ${add(asOf, "timestamptz")}`,
      ];
  return [
    ...chosen,
    lastId !== null && `${row}.id <= ${add(lastId, "bigint")}`,
    filter.affiliateId && `${row}.affiliate_id = ${add(filter.affiliateId, "uuid")}`,
    filter.endpoint && `${row}.endpoint_id = ${add(filter.endpoint, "uuid")}`,
    filter.eventType && `${row}.event_type = ${add(filter.eventType, "text")}`,
    filter.reasons && `${row}.reason = any(${add(filter.reasons, "posthorn.reason[]")})`,
    filter.status && `${row}.last_status = ${add(filter.status, "int")}`,
    filter.statusClass && inStatusClass(`${row}.last_status`, filter.statusClass),
    filter.from && `${failedAt(row)} >= ${add(filter.from, "timestamptz")}`,
    filter.to && `${failedAt(row)} < ${add(filter.to, "timestamptz")}`,
  ]
    .filter(Boolean)
    .join(" and ");
}

/**
 * SQL: the deliveries that are meant, as d, each once; with `page` the first so many after an id. Each branch names the
 * condition of a partial index, and none may walk all deliveries: dead letters go along deliveries_endpoint_dead or
 * deliveries_state; what waits, which is one endpoint's, along deliveries_due and deliveries_blocked, where `id + 0`
 * keeps the planner from an order by id that the primary key would give.
 */
export function meantDeliveries(
  columns: string,
  selection: Selection,
  { parameters, page }: { parameters: Parameters; page?: { after: string; limit: number } },
): string {
  const meant = isMeant("d", selection, parameters);
  const after = page ? ` and d.id > ${parameters.add(page.after, "bigint")}` : "";
  const sources = sourcesOf(selection.filter);
  const waiting = "d.state in ('pending', 'failed')";
  const branches = selection.filter.ids
    ? [{ where: "true", order: "d.id" }]
    : [
        ...(sources.includes("dead_letter") ? [{ where: "d.state = 'dead_letter'", order: "d.id" }] : []),
        ...(sources.some((source) => source !== "dead_letter")
          ? ["not d.blocked", "d.blocked"].map((blocked) => ({
              where: `${waiting} and ${blocked}`,
              order: "d.id + 0",
            }))
          : []),
      ];
  const selects = branches.map(({ where, order }) => {
    const some = page ? ` order by ${order} limit ${page.limit}` : "";
    return `(select ${columns} from posthorn.deliveries d where ${where} and ${meant}${after}${some})`;
  });
  return selects.join(" union all ");
}

/** The columns of a delivery d and of its endpoint e that a verdict reads. */
export const judged = {
  delivery: "d.id, d.state, d.event_id, d.event_received_at, d.endpoint_id, d.ordering_key",
  endpoint:
    "e.kind, e.ordering, e.deleted_at is not null as endpoint_deleted, e.status <> 'active' as stopped",
};

/** SQL: what becomes of `t`, which has the judged columns: 'accepted', or why not. `isSuperseded` is about t too. */
export function verdict(
  selection: Pick<Selection, "operation" | "renderAgain" | "filter">,
  isSuperseded: () => string,
): string {
  if (selection.operation === "discard") {
    return `case when t.state = 'in_flight' then 'in_flight'
      when t.state in ('delivered', 'skipped', 'discarded') then 'already_ended' else 'accepted' end`;
  }
  const { renderAgain, filter } = selection;
  const takesHeld = filter.ids === undefined && sourcesOf(filter).includes("held");
  const eventKept = `exists (select from posthorn.event_bodies b
    where b.event_id = t.event_id and b.received_at = t.event_received_at)`;
  const requestKept = `exists (select from posthorn.delivery_requests r
    where r.delivery_id = t.id and r.received_at = t.event_received_at)`;
  const sendsFrozen = renderAgain ? "false" : "t.kind = 'postback'";
  return `case
    when t.state = 'in_flight' then 'in_flight'
    when t.state = 'pending' ${takesHeld ? "and not t.stopped" : ""} then 'already_waiting'
    when t.endpoint_deleted then 'endpoint_deleted'
    when t.state = 'skipped' ${renderAgain ? "and t.kind <> 'postback'" : ""} then 'skipped'
    when ${sendsFrozen} and not ${requestKept} then case when ${eventKept} then 'cannot_render' else 'body_purged' end
    when not (${sendsFrozen}) and not ${eventKept} then 'body_purged'
    when t.ordering_key is not null and t.ordering <> 'none' and ${isSuperseded()} then 'superseded'
    else 'accepted' end`;
}

/**
 * SQL: whether a later one of the key of `t` was attempted that this does not take along: of the dead letters of one key
 * each but the last would be superseded by its neighbour, though they go out again in their order.
 */
export function supersededInSelection(selection: Selection, parameters: Parameters): string {
  return supersededBy("t", (later) => `not (${isMeant(later, selection, parameters)})`);
}
