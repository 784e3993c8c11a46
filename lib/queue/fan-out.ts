import type pg from "pg";
import { plainArray, textArray } from "#lib/db/arrays.ts";
import { inClientTransaction } from "#lib/db/database.ts";
import { route } from "#lib/delivery/route.ts";
import type { Ordering, Reason } from "#lib/vocabulary.ts";
import { findInvalid } from "./event-data.ts";
import { lockEndpointHealth } from "./health.ts";
import { occupied } from "./ordering.ts";

/** Events a transaction takes; fewer taken means that the outbox is empty. */
export const fanOutBatchSize = 1_000;
/** Deliveries a statement inserts: an affiliate may have many endpoints. */
const insertSize = 5_000;

type OutboxRow = {
  event_id: string;
  received_at: Date;
  affiliate_id: string;
  type: string;
  ordering_key: string | null;
  checked: boolean;
};

/**
 * Turns accepted events into deliveries, in order of acceptance. Returns how many events it took: fewer than
 * `fanOutBatchSize` means that nothing is left, or that another worker is at it.
 *
 * One fan-out at a time in the whole deployment (an advisory lock of the transaction): deliveries then get ids
 * in order of acceptance, and one makes about 40,000 deliveries/s, far more than is sent.
 * The outbox rows go in the same transaction, so no event is fanned out twice. An endpoint made since the
 * event was accepted gets it too.
 */
export function fanOut(pool: pg.Pool): Promise<number> {
  return inClientTransaction(pool, async (client) => {
    const taken = await takeFromOutbox(client);
    if (taken.length > 0) await insertDeliveries(client, taken);
    return taken.length;
  });
}

/** The lock is tried only when there is something to take, so that idle polling stays one cheap statement. */
async function takeFromOutbox(client: pg.PoolClient): Promise<OutboxRow[]> {
  const { rows } = await client.query<OutboxRow & { seq: string }>({
    name: "fan_out_take",
    text: `with head as materialized (
        select seq from posthorn.event_outbox order by seq limit $1
      ), leader as materialized (
        select pg_try_advisory_xact_lock(hashtextextended('posthorn.fan_out', 0)) as ok from head limit 1
      )
      delete from posthorn.event_outbox
      where seq = any(array(select seq from head where (select ok from leader)))
      returning seq, event_id, received_at, affiliate_id, type, ordering_key, checked`,
    values: [fanOutBatchSize],
  });
  return rows.sort((a, b) => (BigInt(a.seq) < BigInt(b.seq) ? -1 : 1));
}

async function insertDeliveries(client: pg.PoolClient, events: OutboxRow[]): Promise<void> {
  const byAffiliate = await endpointsOf(client, [...new Set(events.map((event) => event.affiliate_id))]);
  const invalid = await findInvalid(
    client,
    events.filter((event) => !event.checked && byAffiliate.has(event.affiliate_id)),
  );
  await lockOrdered(client, events, byAffiliate);
  let deliveries: NewDelivery[] = [];
  for (const event of events) {
    for (const endpoint of byAffiliate.get(event.affiliate_id) ?? []) {
      if (route({ type: event.type }, { eventTypes: endpoint.event_types }) !== "deliver") continue;
      const orderingKey = endpoint.ordering === "none" ? null : event.ordering_key;
      const skipReason = invalid.has(event.event_id) ? "invalid_data" : null;
      deliveries.push({ event, endpointId: endpoint.id, orderingKey, skipReason });
      if (deliveries.length < insertSize) continue;
      await insertBatch(client, deliveries);
      deliveries = [];
    }
  }
  if (deliveries.length > 0) await insertBatch(client, deliveries);
}

/**
 * Until the end of the transaction nothing of these endpoints is claimed or settled, so that what is found to be
 * in front of a new delivery still is when that is seen, and whoever ends it later sees the new one.
 */
async function lockOrdered(
  client: pg.PoolClient,
  events: OutboxRow[],
  byAffiliate: Map<string, Subscriber[]>,
): Promise<void> {
  const keyed = new Set(
    events.filter((event) => event.ordering_key !== null).map((event) => event.affiliate_id),
  );
  const endpointIds = [...keyed]
    .flatMap((affiliateId) => byAffiliate.get(affiliateId) ?? [])
    .filter((endpoint) => endpoint.ordering !== "none")
    .map((endpoint) => endpoint.id);
  if (endpointIds.length > 0) await lockEndpointHealth(client, endpointIds);
}

/** With a reason to skip it, it is recorded and never sent. */
type NewDelivery = {
  event: OutboxRow;
  endpointId: string;
  orderingKey: string | null;
  skipReason: Reason | null;
};

async function insertBatch(client: pg.PoolClient, deliveries: NewDelivery[]): Promise<void> {
  const blocked = await findBlocked(client, deliveries);
  await client.query({
    name: "fan_out_insert",
    text: `insert into posthorn.deliveries
        (event_id, event_received_at, event_type, affiliate_id, endpoint_id, ordering_key, blocked, reason, state, ended_at)
      select new.*, case when skip_reason is null then 'pending' else 'skipped' end::posthorn.delivery_state,
        case when skip_reason is not null then now() end
      from unnest($1::text[], $2::timestamptz[], $3::text[], $4::uuid[], $5::uuid[], $6::text[], $7::boolean[],
        $8::posthorn.reason[]) as new (event_id, received_at, type, affiliate_id, endpoint_id, ordering_key, blocked, skip_reason)`,
    values: [
      textArray(deliveries.map(({ event }) => event.event_id)),
      plainArray(deliveries.map(({ event }) => event.received_at.toISOString())),
      textArray(deliveries.map(({ event }) => event.type)),
      plainArray(deliveries.map(({ event }) => event.affiliate_id)),
      plainArray(deliveries.map(({ endpointId }) => endpointId)),
      textArray(deliveries.map(({ orderingKey }) => orderingKey)),
      plainArray(blocked),
      plainArray(deliveries.map(({ skipReason }) => skipReason)),
    ],
  });
}

/**
 * For each new delivery whether it waits: behind what the table holds of its key, or behind one before it here. What is
 * skipped neither waits nor holds anything up.
 */
async function findBlocked(client: pg.PoolClient, deliveries: NewDelivery[]): Promise<boolean[]> {
  const places = new Map(
    deliveries.flatMap(({ endpointId, orderingKey, skipReason }) =>
      orderingKey === null || skipReason !== null
        ? []
        : [[placeName(endpointId, orderingKey), { endpointId, orderingKey }]],
    ),
  );
  if (places.size === 0) return deliveries.map(() => false);
  const taken = new Set(
    (await occupied(client, [...places.values()])).map((place) =>
      placeName(place.endpointId, place.orderingKey),
    ),
  );
  return deliveries.map(({ endpointId, orderingKey, skipReason }) => {
    if (orderingKey === null || skipReason !== null) return false;
    const name = placeName(endpointId, orderingKey);
    const waits = taken.has(name);
    taken.add(name);
    return waits;
  });
}

const placeName = (endpointId: string, orderingKey: string) => `${endpointId} ${orderingKey}`;

type Subscriber = { id: string; affiliate_id: string; event_types: string[] | null; ordering: Ordering };

async function endpointsOf(
  client: pg.PoolClient,
  affiliateIds: string[],
): Promise<Map<string, Subscriber[]>> {
  const { rows } = await client.query<Subscriber>({
    name: "fan_out_endpoints",
    text: `select id, affiliate_id, event_types, ordering from posthorn.endpoints
      where affiliate_id = any($1::uuid[]) and deleted_at is null order by id`,
    values: [affiliateIds],
  });
  return Map.groupBy(rows, (row) => row.affiliate_id);
}
