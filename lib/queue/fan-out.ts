import type pg from "pg";
import { byteaArray, plainArray, textArray } from "#lib/db/arrays.ts";
import { inClientTransaction } from "#lib/db/database.ts";
import type { SearchHasher } from "#lib/search/hash.ts";
import { loadedBytes } from "./event-data.ts";
import { loadEventTypeRules } from "./event-type-rules.ts";
import { lockEndpointHealth } from "./health.ts";
import { occupied } from "./ordering.ts";
import {
  type NewDelivery,
  type OutboxRow,
  planDeliveries,
  type SearchableValue,
  type Subscriber,
} from "./planning.ts";

/** Events a transaction takes; fewer taken means that the outbox is empty. */
export const fanOutBatchSize = 1_000;
/** Deliveries a statement inserts: an affiliate may have many endpoints. */
const insertSize = 5_000;
/** Characters of rendered requests that a statement inserts. */
const insertChars = 8_388_608;

export type FanOutOptions = {
  /** What an event can be found by is stored as this makes it of a searchable value: with the current secret key. */
  hashValue: SearchHasher;
};

/**
 * Turns accepted events into deliveries, in order of acceptance. Returns how many events it took: fewer than
 * `fanOutBatchSize` means that nothing is left, that they were large, or that another worker is at it.
 *
 * One fan-out at a time in the whole deployment (an advisory lock of the transaction): deliveries then get ids
 * in order of acceptance, and one makes about 40,000 deliveries/s, far more than is sent.
 * The outbox rows go in the same transaction, so no event is fanned out twice, and the keys that it is found by come
 * in it. An endpoint made since the event was accepted gets it too.
 */
export function fanOut(pool: pg.Pool, { hashValue }: FanOutOptions): Promise<number> {
  return inClientTransaction(pool, async (client) => {
    const taken = await takeFromOutbox(client);
    if (taken.length > 0) await insertDeliveries(client, taken, hashValue);
    return taken.length;
  });
}

/**
 * The lock is tried only when there is something to take, so that idle polling stays one cheap statement. No more data
 * than may be in memory at once: until the transaction ends nothing else is fanned out.
 */
async function takeFromOutbox(client: pg.PoolClient): Promise<OutboxRow[]> {
  const { rows } = await client.query<OutboxRow & { seq: string }>({
    name: "fan_out_take",
    text: `with first as materialized (
        select seq, data_bytes from posthorn.event_outbox order by seq limit $1
      ), head as materialized (
        select seq from (select seq, sum(data_bytes) over (order by seq) - data_bytes as before from first) f
        where before < $2
      ), leader as materialized (
        select pg_try_advisory_xact_lock(hashtextextended('posthorn.fan_out', 0)) as ok from head limit 1
      )
      delete from posthorn.event_outbox
      where seq = any(array(select seq from head where (select ok from leader)))
      returning seq, event_id, received_at, affiliate_id, type, ordering_key, checked, data_bytes`,
    values: [fanOutBatchSize, loadedBytes],
  });
  return rows.sort((a, b) => (BigInt(a.seq) < BigInt(b.seq) ? -1 : 1));
}

async function insertDeliveries(
  client: pg.PoolClient,
  events: OutboxRow[],
  hashValue: SearchHasher,
): Promise<void> {
  const [byAffiliate, rules] = await Promise.all([
    endpointsOf(client, [...new Set(events.map((event) => event.affiliate_id))]),
    loadEventTypeRules(client, [...new Set(events.map(({ type }) => type))]),
  ]);
  const { endpoints, deliveries, searchable } = await planDeliveries(client, { events, byAffiliate, rules });
  await insertSearchKeys(client, searchable, hashValue);
  // Only now: whoever settles or claims for these endpoints waits from here to the commit.
  await lockOrdered(client, endpoints);
  let batch: NewDelivery[] = [];
  let chars = 0;
  for (const delivery of deliveries()) {
    batch.push(delivery);
    chars += (delivery.request?.url.length ?? 0) + (delivery.request?.body?.length ?? 0);
    if (batch.length < insertSize && chars < insertChars) continue;
    await insertBatch(client, batch);
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) await insertBatch(client, batch);
}

async function insertSearchKeys(
  client: pg.PoolClient,
  values: SearchableValue[],
  hashValue: SearchHasher,
): Promise<void> {
  for (let from = 0; from < values.length; from += insertSize) {
    const some = values.slice(from, from + insertSize);
    await client.query({
      name: "fan_out_search_keys",
      text: `insert into posthorn.search_keys (key, event_id, received_at)
        select * from unnest($1::bytea[], $2::text[], $3::timestamptz[])`,
      values: [
        byteaArray(some.map(({ value }) => hashValue(value))),
        textArray(some.map(({ event }) => event.event_id)),
        plainArray(some.map(({ event }) => event.received_at.toISOString())),
      ],
    });
  }
}

/**
 * Until the end of the transaction nothing of these endpoints is claimed or settled, so that what is found to be
 * in front of a new delivery still is when that is seen, and whoever ends it later sees the new one.
 */
async function lockOrdered(client: pg.PoolClient, endpoints: Subscriber[]): Promise<void> {
  const ordered = endpoints.filter(({ ordering }) => ordering !== "none").map(({ id }) => id);
  if (ordered.length > 0) await lockEndpointHealth(client, ordered);
}

async function insertBatch(client: pg.PoolClient, deliveries: NewDelivery[]): Promise<void> {
  const blocked = await findBlocked(client, deliveries);
  await client.query({
    name: "fan_out_insert",
    text: `insert into posthorn.deliveries
        (id, event_id, event_received_at, event_type, affiliate_id, endpoint_id, ordering_key, blocked, state, reason, ended_at)
      overriding system value
      select coalesce(id, nextval('posthorn.deliveries_id_seq')), event_id, received_at, type, affiliate_id, endpoint_id,
        ordering_key, blocked, coalesce(state, 'pending'), reason, case when state is not null then now() end
      from unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::text[], $5::uuid[], $6::uuid[], $7::text[], $8::boolean[],
        $9::posthorn.delivery_state[], $10::posthorn.reason[])
      as new (id, event_id, received_at, type, affiliate_id, endpoint_id, ordering_key, blocked, state, reason)`,
    values: [
      plainArray(deliveries.map(({ id }) => id)),
      textArray(deliveries.map(({ event }) => event.event_id)),
      plainArray(deliveries.map(({ event }) => event.received_at.toISOString())),
      textArray(deliveries.map(({ event }) => event.type)),
      plainArray(deliveries.map(({ event }) => event.affiliate_id)),
      plainArray(deliveries.map(({ endpoint }) => endpoint.id)),
      textArray(deliveries.map(({ orderingKey }) => orderingKey)),
      plainArray(blocked),
      plainArray(deliveries.map(({ end }) => end?.state ?? null)),
      plainArray(deliveries.map(({ end }) => end?.reason ?? null)),
    ],
  });
  await insertRequests(client, deliveries);
  await countDeadLetters(client, deliveries.filter(({ end }) => end?.state === "dead_letter").length);
}

/** Apart from the deliveries, whose rows stay small. */
async function insertRequests(client: pg.PoolClient, deliveries: NewDelivery[]): Promise<void> {
  const rendered = deliveries.flatMap(({ id, event, request }) => (request ? [{ id, event, request }] : []));
  if (rendered.length === 0) return;
  await client.query({
    name: "fan_out_requests",
    text: `insert into posthorn.delivery_requests (delivery_id, received_at, method, url, content_type, body)
      select * from unnest($1::bigint[], $2::timestamptz[], $3::posthorn.http_method[], $4::text[], $5::text[], $6::text[])`,
    values: [
      plainArray(rendered.map(({ id }) => id)),
      plainArray(rendered.map(({ event }) => event.received_at.toISOString())),
      plainArray(rendered.map(({ request }) => request.method)),
      textArray(rendered.map(({ request }) => request.url)),
      textArray(rendered.map(({ request }) => request.contentType)),
      textArray(rendered.map(({ request }) => request.body)),
    ],
  });
}

/** Those that no attempt ends, and so no settlement counts. 0 stands for the fan-out, which is no worker's. */
async function countDeadLetters(client: pg.PoolClient, count: number): Promise<void> {
  if (count === 0) return;
  await client.query({
    name: "fan_out_dead_letters",
    text: `insert into posthorn.delivery_minutes as t (minute, worker_id, delivered, failed, dead_letters, delivered_ms_sum)
      values (date_trunc('minute', now()), 0, 0, 0, $1, 0)
      on conflict (minute, worker_id) do update set dead_letters = t.dead_letters + excluded.dead_letters`,
    values: [count],
  });
}

/**
 * For each new delivery whether it waits: behind what the table holds of its key, or behind one before it here. What
 * has ended does not wait, and holds nothing up unless it is a dead letter of a strict order.
 */
async function findBlocked(client: pg.PoolClient, deliveries: NewDelivery[]): Promise<boolean[]> {
  const places = new Map(
    deliveries.flatMap(({ endpoint, orderingKey, end }) =>
      orderingKey === null || end !== null
        ? []
        : [[placeName(endpoint.id, orderingKey), { endpointId: endpoint.id, orderingKey }]],
    ),
  );
  if (places.size === 0) return deliveries.map(() => false);
  const taken = new Set(
    (await occupied(client, [...places.values()])).map((place) =>
      placeName(place.endpointId, place.orderingKey),
    ),
  );
  return deliveries.map(({ endpoint, orderingKey, end }) => {
    if (orderingKey === null) return false;
    const name = placeName(endpoint.id, orderingKey);
    const waits = end === null && taken.has(name);
    if (end === null || (end.state === "dead_letter" && endpoint.ordering === "strict")) taken.add(name);
    return waits;
  });
}

const placeName = (endpointId: string, orderingKey: string) => `${endpointId} ${orderingKey}`;

async function endpointsOf(
  client: pg.PoolClient,
  affiliateIds: string[],
): Promise<Map<string, Subscriber[]>> {
  const { rows } = await client.query<Subscriber>({
    name: "fan_out_endpoints",
    text: `select id, affiliate_id, kind, event_types, filters, ordering, method, url, body_template, content_type
      from posthorn.endpoints where affiliate_id = any($1::uuid[]) and deleted_at is null order by id`,
    values: [affiliateIds],
  });
  return Map.groupBy(rows, (row) => row.affiliate_id);
}
