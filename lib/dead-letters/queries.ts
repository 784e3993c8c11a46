import { and, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { affiliates, deliveries, endpoints } from "#drizzle/schema/index.ts";
import { narrowedTo, type Scope } from "#lib/affiliates/queries.ts";
import { keyset } from "#lib/api/keyset.ts";
import type { Page } from "#lib/api/paging.ts";
import type { Orm } from "#lib/db/database.ts";
import { inStatusClass } from "#lib/db/status-class.ts";
import { selectDeliveriesById } from "#lib/deliveries/queries.ts";
import { type Delivery, deliveryId } from "#lib/deliveries/schema.ts";
import { eventId } from "#lib/events/schema.ts";
import type { EndpointStatus, Reason } from "#lib/vocabulary.ts";
import {
  type DeadLetterFilters,
  type DeadLetterGroups,
  type DeadLetterListQuery,
  groupsShown,
} from "./schema.ts";

const fewEndpoints = 100;

/** Microseconds, which a Date would lose; checked again when it comes back. */
const endedAtKey = sql<string>`to_char(${deliveries.endedAt} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
const cursorTime = z.iso.datetime({ precision: 6 }).refine((text) => !text.startsWith("0000"));

/** One page, given up latest first. All of it is in deliveries_dead_letters but what the rows then show. */
export async function selectDeadLetters(
  orm: Orm,
  query: DeadLetterListQuery & { scope: Scope },
): Promise<Page<Delivery>> {
  const list = keyset(query, {
    columns: [deliveries.endedAt, deliveries.id],
    key: z.tuple([cursorTime, deliveryId]),
    order: "descending",
  });
  const found = await orm
    .select({ id: deliveries.id, endedAt: endedAtKey })
    .from(deliveries)
    .where(and(...(await conditions(orm, query)), list.where))
    .orderBy(list.orderBy)
    .limit(list.fetch);
  const rows = await selectDeliveriesById(
    orm,
    found.map(({ id }) => id),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const page = list.page(found, {
    key: ({ id, endedAt }) => [endedAt, String(id)],
    item: ({ id }) => byId.get(String(id)) ?? null,
  });
  // One that was put back between the two reads is none any more.
  return { ...page, data: page.data.filter((row) => row?.state === "dead_letter") as Delivery[] };
}

type GroupRow = {
  endpoint_id: string;
  endpoint_name: string;
  endpoint_status: EndpointStatus | "deleted";
  affiliate_id: string;
  affiliate_key: string;
  affiliate_name: string;
  reason: Reason | null;
  status: number | null;
  count: number;
  first_at: Date;
  last_at: Date;
  mean_attempts: number;
  sample: string;
  all_groups: number;
  all_letters: number;
};

/** The largest groups by endpoint and answer, in one pass over deliveries_dead_letters. */
export async function selectDeadLetterGroups(
  orm: Orm,
  query: DeadLetterFilters & { scope: Scope },
): Promise<DeadLetterGroups> {
  const wanted = await conditions(orm, query);
  const { rows } = await orm.execute<GroupRow>(sql`
    with grouped as (
      select ${deliveries.endpointId} as endpoint_id, ${deliveries.reason} as reason, ${deliveries.lastStatus} as status,
        count(*)::int as count, min(${deliveries.endedAt}) as first_at, max(${deliveries.endedAt}) as last_at,
        avg(${deliveries.attemptsCharged})::float8 as mean_attempts, max(${deliveries.id})::text as sample
      from ${deliveries} where ${and(...wanted)} group by 1, 2, 3
    )
    select g.*, e.name as endpoint_name, a.id as affiliate_id, a.key as affiliate_key, a.name as affiliate_name,
      case when e.deleted_at is null then e.status::text else 'deleted' end as endpoint_status,
      (select count(*)::int from grouped) as all_groups, (select sum(count)::int from grouped) as all_letters
    from grouped g join ${endpoints} e on e.id = g.endpoint_id join ${affiliates} a on a.id = e.affiliate_id
    order by g.count desc, g.endpoint_id, g.reason, g.status limit ${groupsShown}`);
  return {
    data: rows.map((row) => ({
      endpoint: { id: row.endpoint_id, name: row.endpoint_name, status: row.endpoint_status },
      affiliate: { id: row.affiliate_id, key: row.affiliate_key, name: row.affiliate_name },
      reason: row.reason,
      status: row.status,
      count: row.count,
      first_at: new Date(row.first_at).toISOString(),
      last_at: new Date(row.last_at).toISOString(),
      mean_attempts: row.mean_attempts,
      sample: row.sample,
    })),
    count: rows[0]?.all_letters ?? 0,
    groups: rows[0]?.all_groups ?? 0,
  };
}

/** When the workers last looked at dead letters; null when they never did. */
export async function selectLookedAt(orm: Orm): Promise<string | null> {
  const { rows } = await orm.execute<{ at: Date }>(sql`select at from posthorn.diagnoses`);
  return rows[0] ? new Date(rows[0].at).toISOString() : null;
}

/** Only of columns that the index holds, so that neither a count nor a page reads the table to find its rows. */
async function conditions(
  orm: Orm,
  query: DeadLetterFilters & { scope: Scope },
): Promise<(SQL | undefined)[]> {
  const { endpoint, reason, status, status_class, event_type, q, from, to } = query;
  const affiliate = narrowedTo({ key: query.affiliate, scope: query.scope });
  return [
    sql`${deliveries.state} = 'dead_letter'`,
    // A dead letter without one is none that was given up on; it keeps the index's order free of nulls.
    sql`${deliveries.endedAt} is not null`,
    endpoint === undefined ? undefined : sql`${deliveries.endpointId} = ${endpoint}`,
    affiliate && (await ofAffiliate(orm, affiliate)),
    reason && sql`${deliveries.reason} = any(${`{${reason.join(",")}}`}::posthorn.reason[])`,
    status === undefined ? undefined : sql`${deliveries.lastStatus} = ${status}`,
    status_class && sql.raw(inStatusClass("deliveries.last_status", status_class)),
    event_type === undefined ? undefined : sql`${deliveries.eventType} = ${event_type}`,
    q ? soughtBy(q) : undefined,
    from === undefined ? undefined : sql`${deliveries.endedAt} >= ${from}::timestamptz`,
    to === undefined ? undefined : sql`${deliveries.endedAt} < ${to}::timestamptz`,
  ];
}

/**
 * Of few endpoints: along deliveries_endpoint_dead. Those of many may be most of all dead letters: 90,000 took 0.9 s to
 * find so and to sort. `is true` keeps that index out of it, and what is wanted turns up soon in order.
 */
async function ofAffiliate(orm: Orm, affiliate: SQL): Promise<SQL> {
  const owned = sql`select e.id from ${endpoints} e where e.affiliate_id = ${affiliate}`;
  const { rows } = await orm.execute<{ n: number }>(
    sql`select count(*)::int as n from (${owned} limit ${fewEndpoints + 1}) owned`,
  );
  return (rows[0]?.n ?? 0) > fewEndpoints
    ? sql`(${deliveries.endpointId} in (${owned})) is true`
    : sql`${deliveries.endpointId} = any(array(${owned}))`;
}

/** Along deliveries_event or the primary key. A text that can be the id of neither finds nothing. */
function soughtBy(q: string): SQL {
  const event = eventId.safeParse(q).data ?? null;
  const delivery = deliveryId.safeParse(q).data ?? null;
  return sql`${deliveries.id} = any(array(
    select d.id from ${deliveries} d where d.event_id = ${event}::text union all select ${delivery}::bigint))`;
}
