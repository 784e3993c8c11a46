import type pg from "pg";
import type { Reason } from "#lib/vocabulary.ts";
import type { TestEndpoint } from "./factories.ts";

/**
 * Dead letters of an endpoint, and their events with data, straight into the tables: 50,000 take a second. They died an
 * hour ago; with `orderingKeys` they take turns in so many keys.
 */
export async function makeDeadLetters(
  pool: pg.Pool,
  options: {
    endpoint: TestEndpoint;
    count: number;
    type?: string;
    reason?: string;
    status?: number;
    data?: string;
    state?: "dead_letter" | "failed" | "pending";
    orderingKeys?: number;
    /** SQL; an hour ago unless given. */
    diedAt?: string;
  },
): Promise<void> {
  const { endpoint, count, orderingKeys = null } = options;
  const died = options.diedAt ?? "now() - interval '1 hour'";
  await pool.query(
    `with made as (
       select 'dead-' || gen_random_uuid() as id, date_trunc('milliseconds', ${died}) as at, n from generate_series(1, $1::int) n
     ), event as (
       insert into posthorn.events (id, received_at, affiliate_id, type, occurred_at, data_bytes)
       select id, at, $2::uuid, $4::text, at, octet_length($7::text) from made
     ), body as (
       insert into posthorn.event_bodies (event_id, received_at, type, occurred_at, data)
       select id, at, $4::text, at, convert_to($7::text, 'UTF8') from made
     )
     insert into posthorn.deliveries (event_id, event_received_at, event_type, affiliate_id, endpoint_id, state, reason,
       last_status, attempt_number, attempts_charged, last_attempt_at, created_at, ended_at, ordering_key, next_attempt_at)
     select id, at, $4::text, $2::uuid, $3::uuid, $8::posthorn.delivery_state, $5::posthorn.reason, $6::int,
       $10::int, $10::int, case when $10::int > 0 then at end, at, case when $8 = 'dead_letter'::posthorn.delivery_state then at end, 'key-' || (n % $9::int),
       at + interval '1 day'
     from made order by n`,
    [
      count,
      endpoint.affiliateId,
      endpoint.id,
      options.type ?? "conversion.approved",
      options.reason ?? (options.state === "pending" ? null : "server_error"),
      options.status ?? (options.state === "pending" ? null : 500),
      options.data ?? '{"click_id":"c-1"}',
      options.state ?? "dead_letter",
      orderingKeys,
      options.state === "pending" ? 0 : 5,
    ],
  );
}

let batches = 0;

/** Dead letters of an endpoint, a minute apart, the latest now; times and answers as the worker stores them. */
export async function addDeadLetters(
  pool: pg.Pool,
  given: {
    endpointId: string;
    affiliateId: string;
    count: number;
    reason: Reason;
    status?: number;
    agoHours?: number;
    eventType?: string;
  },
): Promise<void> {
  await pool.query(
    `insert into posthorn.deliveries (event_id, event_received_at, event_type, affiliate_id, endpoint_id, state, reason,
       last_status, attempt_number, attempts_charged, ended_at)
     select $8 || n, now(), $7, $2, $1::uuid, 'dead_letter', $4, $5, 1, 1,
       now() - $6 * interval '1 hour' - ($3 - n) * interval '1 minute'
     from generate_series(1, $3::int) n`,
    [
      given.endpointId,
      given.affiliateId,
      given.count,
      given.reason,
      given.status ?? null,
      given.agoHours ?? 0,
      given.eventType ?? "deposit",
      `letter-${++batches}-${given.endpointId}-`,
    ],
  );
}
