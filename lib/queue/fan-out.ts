import type pg from "pg";
import { plainArray, textArray } from "#lib/db/arrays.ts";
import { inClientTransaction } from "#lib/db/database.ts";
import { route } from "#lib/delivery/route.ts";

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
      returning seq, event_id, received_at, affiliate_id, type, ordering_key`,
    values: [fanOutBatchSize],
  });
  return rows.sort((a, b) => (BigInt(a.seq) < BigInt(b.seq) ? -1 : 1));
}

async function insertDeliveries(client: pg.PoolClient, events: OutboxRow[]): Promise<void> {
  const byAffiliate = await endpointsOf(client, [...new Set(events.map((event) => event.affiliate_id))]);
  let deliveries: NewDelivery[] = [];
  for (const event of events) {
    for (const endpoint of byAffiliate.get(event.affiliate_id) ?? []) {
      if (route({ type: event.type }, { eventTypes: endpoint.event_types }) !== "deliver") continue;
      deliveries.push({ event, endpointId: endpoint.id });
      if (deliveries.length < insertSize) continue;
      await insertBatch(client, deliveries);
      deliveries = [];
    }
  }
  if (deliveries.length > 0) await insertBatch(client, deliveries);
}

type NewDelivery = { event: OutboxRow; endpointId: string };

async function insertBatch(client: pg.PoolClient, deliveries: NewDelivery[]): Promise<void> {
  await client.query({
    name: "fan_out_insert",
    text: `insert into posthorn.deliveries
        (event_id, event_received_at, event_type, affiliate_id, endpoint_id, ordering_key)
      select * from unnest($1::text[], $2::timestamptz[], $3::text[], $4::uuid[], $5::uuid[], $6::text[])`,
    values: [
      textArray(deliveries.map(({ event }) => event.event_id)),
      plainArray(deliveries.map(({ event }) => event.received_at.toISOString())),
      textArray(deliveries.map(({ event }) => event.type)),
      plainArray(deliveries.map(({ event }) => event.affiliate_id)),
      plainArray(deliveries.map(({ endpointId }) => endpointId)),
      textArray(deliveries.map(({ event }) => event.ordering_key)),
    ],
  });
}

type Subscriber = { id: string; affiliate_id: string; event_types: string[] | null };

async function endpointsOf(
  client: pg.PoolClient,
  affiliateIds: string[],
): Promise<Map<string, Subscriber[]>> {
  const { rows } = await client.query<Subscriber>({
    name: "fan_out_endpoints",
    text: `select id, affiliate_id, event_types from posthorn.endpoints
      where affiliate_id = any($1::uuid[]) and deleted_at is null order by id`,
    values: [affiliateIds],
  });
  return Map.groupBy(rows, (row) => row.affiliate_id);
}
