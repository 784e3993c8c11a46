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
    endpoint: Pick<TestEndpoint, "id" | "affiliateId">;
    count: number;
    type?: string;
    reason?: Reason;
    status?: number | null;
    attempts?: number;
    data?: string;
    state?: "dead_letter" | "failed" | "pending";
    orderingKeys?: number;
    /** SQL, in which n is the number of each; an hour ago unless given. */
    diedAt?: string;
  },
): Promise<void> {
  const { endpoint, count, orderingKeys = null, state = "dead_letter" } = options;
  const isPending = state === "pending";
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
      options.reason ?? (isPending ? null : "server_error"),
      options.status === undefined ? (isPending ? null : 500) : options.status,
      options.data ?? '{"click_id":"c-1"}',
      state,
      orderingKeys,
      isPending ? 0 : (options.attempts ?? 5),
    ],
  );
}

/** Dead letters that say what they died of, a minute apart, the latest now or `agoHours` ago; given up at once. */
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
  const {
    endpointId,
    affiliateId,
    count,
    reason,
    status = null,
    agoHours = 0,
    eventType = "deposit",
  } = given;
  await makeDeadLetters(pool, {
    endpoint: { id: endpointId, affiliateId },
    count,
    reason,
    status,
    attempts: 1,
    type: eventType,
    diedAt: `now() - interval '${agoHours} hours' - ($1::int - n) * interval '1 minute'`,
  });
}
