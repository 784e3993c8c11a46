import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { affiliates, eventBodies, eventKeys, events } from "#drizzle/schema/index.ts";
import { narrowedTo, type Scope } from "#lib/affiliates/queries.ts";
import { keyset } from "#lib/api/keyset.ts";
import type { Page } from "#lib/api/paging.ts";
import type { Orm, Queryable } from "#lib/db/database.ts";
import type { Filter } from "#lib/delivery/filters.ts";
import { eventIdsByHash } from "#lib/search/queries.ts";
import type { DeliveryState, EndpointStatus, Reason } from "#lib/vocabulary.ts";
import { type Event, type EventListQuery, eventId } from "./schema.ts";

const maxRecipients = 1_000;

const columns = {
  event: events,
  affiliate: { id: affiliates.id, key: affiliates.key, name: affiliates.name },
};
type Row = { event: typeof events.$inferSelect; affiliate: Event["affiliate"] };

/**
 * One page, latest received first, along events_received, or events_affiliate or events_type when filtered by these;
 * those that a hash names, and the one with an id, by their ids.
 */
export async function selectEvents(orm: Orm, query: EventListQuery & { scope: Scope }): Promise<Page<Event>> {
  const list = keyset(query, {
    columns: [events.receivedAt, events.id],
    key: z.tuple([z.iso.datetime().refine(hasYear), eventId]),
    order: "descending",
  });
  const affiliate = narrowedTo({ key: query.affiliate, scope: query.scope });
  const found =
    query.q_hash === undefined ? undefined : sql`${events.id} = any(${eventIdsByHash(query.q_hash)})`;
  const rows = await orm
    .select(columns)
    .from(events)
    .innerJoin(affiliates, eq(affiliates.id, events.affiliateId))
    .where(
      and(
        affiliate && sql`${events.affiliateId} = ${affiliate}`,
        query.id === undefined ? undefined : eq(events.id, query.id),
        query.type === undefined ? undefined : eq(events.type, query.type),
        query.from === undefined ? undefined : sql`${events.receivedAt} >= ${query.from}::timestamptz`,
        query.to === undefined ? undefined : sql`${events.receivedAt} < ${query.to}::timestamptz`,
        found,
        list.where,
      ),
    )
    .orderBy(list.orderBy)
    .limit(list.fetch);
  return list.page(rows, { key: ({ event }) => [event.receivedAt.toISOString(), event.id], item: toEvent });
}

/** One event, and its data while that is kept. Its key says in which partition to look. */
export async function selectEvent(
  orm: Orm,
  id: string,
): Promise<{ event: Event; data: Buffer | null } | null> {
  const [row] = await orm
    .select({ ...columns, data: eventBodies.data })
    .from(eventKeys)
    .innerJoin(events, and(eq(events.id, eventKeys.id), eq(events.receivedAt, eventKeys.receivedAt)))
    .innerJoin(affiliates, eq(affiliates.id, events.affiliateId))
    .leftJoin(
      eventBodies,
      and(eq(eventBodies.eventId, eventKeys.id), eq(eventBodies.receivedAt, eventKeys.receivedAt)),
    )
    .where(eq(eventKeys.id, id));
  return row ? { event: toEvent(row), data: row.data } : null;
}

export type Candidate = {
  endpoint_id: string;
  name: string;
  url: string;
  event_types: string[] | null;
  filters: Filter[];
  created_at: Date;
  delivery_id: string | null;
  state: DeliveryState | null;
  reason: Reason | null;
  blocked: boolean | null;
  /** Of the endpoint. */
  status: EndpointStatus;
  deleted: boolean;
  /** The event has not been fanned out yet. */
  awaits: boolean;
};

/**
 * The endpoints that got the event or could have: every live one of its affiliate, and deleted ones that have a
 * delivery of it. One statement, so that no fan-out comes between; the outbox has no index by event, and is short.
 */
export async function selectCandidates(
  db: Queryable,
  event: Pick<Event, "id" | "affiliate">,
): Promise<Candidate[]> {
  const { rows } = await db.query<Candidate>({
    text: `with candidate as (
        select e.id, e.name, e.url, e.event_types, e.filters, e.created_at, e.status,
          false as deleted, d.id as delivery_id, d.state, d.reason, d.blocked
        from posthorn.endpoints e left join posthorn.deliveries d on d.event_id = $1 and d.endpoint_id = e.id
        where e.affiliate_id = $2 and e.deleted_at is null
        union all
        select e.id, e.name, e.url, e.event_types, e.filters, e.created_at, e.status, true, d.id, d.state, d.reason, d.blocked
        from posthorn.deliveries d join posthorn.endpoints e on e.id = d.endpoint_id
        where d.event_id = $1 and e.deleted_at is not null
      )
      select id as endpoint_id, name, url, event_types, filters, created_at, status, deleted, delivery_id, state, reason, blocked,
        exists (select from posthorn.event_outbox where event_id = $1) as awaits
      from candidate order by id limit ${maxRecipients}`,
    values: [event.id, event.affiliate.id],
  });
  return rows;
}

/** ISO 8601 has a year 0, PostgreSQL has none. */
function hasYear(time: string): boolean {
  return !time.startsWith("0000");
}

function toEvent({ event, affiliate }: Row): Event {
  return {
    id: event.id,
    type: event.type,
    affiliate,
    occurred_at: event.occurredAt.toISOString(),
    received_at: event.receivedAt.toISOString(),
    ordering_key: event.orderingKey,
    data_bytes: event.dataBytes,
  };
}
