import { byteaArray, plainArray, textArray } from "#lib/db/arrays.ts";
import type { Queryable } from "#lib/db/database.ts";
import type { AttemptOutcome, DeliveryState, Reason } from "#lib/vocabulary.ts";

/** One attempt's end and what it means for its delivery. Durations in milliseconds. */
export type Settlement = {
  deliveryId: string;
  leaseToken: string;
  endpointId: string;
  attemptNumber: number;
  state: Extract<DeliveryState, "delivered" | "failed" | "dead_letter">;
  outcome: Extract<AttemptOutcome, "delivered" | "transient" | "permanent">;
  /** Why the attempt failed; null when it did not. */
  attemptReason: Reason | null;
  /** Why the delivery stands where it does; null once it is delivered. */
  reason: Reason | null;
  /** Until the next attempt; null when none follows. */
  delayMs: number | null;
  /** By the database's clock, in milliseconds. */
  startedAtMs: number;
  status: number | null;
  errorCode: string | null;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  durationMs: number;
  url: string;
  /** Alternating names and values as JSON; null when no response came. */
  responseHeaders: string | null;
  responseBody: Buffer | null;
  responseTruncated: boolean;
};

/** The price of a batch grows with its square when statistics are bad, so no batch is larger. */
export const settleBatchSize = 500;

/**
 * Writes up to 500 results in one statement, and returns how many deliveries it moved. A result whose lease
 * was lost moves nothing: its attempt is recorded as late. Safe to repeat when the answer to it was lost.
 *
 * `locked` takes the health rows first and in order of id, so that settlements cannot deadlock with each other;
 * `(select count(*) from locked) >= 0` makes it run before the update. `fold` counts only what was moved, so
 * that late results change no endpoint's health. `unbroken` and `latest_failure` are marks of foldMarks below.
 */
const text = `
with r as materialized (
  select * from unnest($1::bigint[], $2::bigint[], $3::uuid[], $4::int[], $5::posthorn.delivery_state[],
    $6::posthorn.attempt_outcome[], $7::posthorn.reason[], $8::posthorn.reason[], $9::float8[], $10::float8[],
    $11::int[], $12::text[], $13::real[], $14::real[], $15::real[], $16::real[], $17::real[], $18::text[],
    $19::text[], $20::bytea[], $21::boolean[], $22::boolean[], $23::boolean[])
  as t (id, token, endpoint_id, number, state, outcome, attempt_reason, reason, delay_ms, started_ms,
    status, error_code, dns_ms, connect_ms, tls_ms, first_byte_ms, duration_ms, url, headers, body, truncated,
    unbroken, latest_failure)
), locked as materialized (
  select endpoint_id from posthorn.endpoint_health
  where endpoint_id = any($24::uuid[]) order by endpoint_id for update
), moved as (
  update posthorn.deliveries d
  set state = r.state, reason = r.reason, leased_by = null, lease_token = null, lost_in_a_row = 0,
    next_attempt_at = case when r.delay_ms is null then d.next_attempt_at
      else now() + r.delay_ms * interval '1 millisecond' end,
    last_status = r.status, last_duration_ms = r.duration_ms,
    delivered_at = case when r.outcome = 'delivered' then now() else d.delivered_at end,
    ended_at = case when r.state = 'failed' then null else now() end
  from r
  where d.id = r.id and d.lease_token = r.token and d.state = 'in_flight' and (select count(*) from locked) >= 0
  returning d.id, r.endpoint_id, r.outcome = 'delivered' as success, r.state = 'dead_letter' as dead,
    r.duration_ms, r.attempt_reason, r.status, r.unbroken, r.latest_failure
), attempt as (
  insert into posthorn.delivery_attempts (delivery_id, number, started_at, endpoint_id, outcome, reason, status,
    error_code, dns_ms, connect_ms, tls_ms, first_byte_ms, duration_ms, late, worker_id)
  select r.id, r.number, to_timestamp(r.started_ms / 1000), r.endpoint_id, r.outcome, r.attempt_reason, r.status,
    r.error_code, r.dns_ms, r.connect_ms, r.tls_ms, r.first_byte_ms, r.duration_ms, m.id is null, $25
  from r left join moved m on m.id = r.id
  where m.id is not null or not exists (${recorded("delivery_attempts")})
), response as (
  insert into posthorn.attempt_responses (delivery_id, number, started_at, url, headers, body, body_truncated)
  select r.id, r.number, to_timestamp(r.started_ms / 1000), r.url, r.headers, r.body, r.truncated
  from r left join moved m on m.id = r.id
  where m.id is not null or not exists (${recorded("attempt_responses")})
), fold as (
  select endpoint_id, count(*)::int as n, bool_or(success) as any_success, bool_or(not success) as any_failure,
    count(*) filter (where unbroken)::int as failures,
    max(attempt_reason) filter (where latest_failure) as failure_reason,
    max(status) filter (where latest_failure) as failure_status
  from moved group by endpoint_id
), health as (
  update posthorn.endpoint_health h
  set in_flight = h.in_flight - f.n,
    consecutive_failures = case when f.any_success then f.failures else h.consecutive_failures + f.failures end,
    last_success_at = case when f.any_success then now() else h.last_success_at end,
    last_failure_at = case when f.any_failure then now() else h.last_failure_at end,
    last_failure_reason = case when f.any_failure then f.failure_reason else h.last_failure_reason end,
    last_failure_status = case when f.any_failure then f.failure_status else h.last_failure_status end
  from fold f where h.endpoint_id = f.endpoint_id
), minute as (
  insert into posthorn.delivery_minutes as t (minute, worker_id, delivered, failed, dead_letters, delivered_ms_sum)
  select date_trunc('minute', now()), $25, count(*) filter (where success),
    count(*) filter (where not success), count(*) filter (where dead),
    coalesce(sum(duration_ms) filter (where success), 0)
  from moved having count(*) > 0
  on conflict (minute, worker_id) do update set delivered = t.delivered + excluded.delivered,
    failed = t.failed + excluded.failed, dead_letters = t.dead_letters + excluded.dead_letters,
    delivered_ms_sum = t.delivered_ms_sum + excluded.delivered_ms_sum
)
select count(*)::int as moved from moved`;

/** Asked only for late results: a settlement that is repeated must not record them twice. */
function recorded(table: string): string {
  return `select from posthorn.${table} a
    where a.delivery_id = r.id and a.number = r.number and a.started_at = to_timestamp(r.started_ms / 1000)`;
}

/** `results`: those of one worker, at most a batch. */
export async function settle(
  db: Queryable,
  options: { workerId: string; results: Settlement[] },
): Promise<number> {
  const { results, workerId } = options;
  if (results.length > settleBatchSize)
    throw new Error(`at most ${settleBatchSize} results can be settled at once`);
  const { unbroken, latestFailure } = foldMarks(results);
  const { rows } = await db.query<{ moved: number }>({
    name: "settle",
    text,
    values: [
      plainArray(results.map((r) => r.deliveryId)),
      plainArray(results.map((r) => r.leaseToken)),
      plainArray(results.map((r) => r.endpointId)),
      plainArray(results.map((r) => r.attemptNumber)),
      plainArray(results.map((r) => r.state)),
      plainArray(results.map((r) => r.outcome)),
      plainArray(results.map((r) => r.attemptReason)),
      plainArray(results.map((r) => r.reason)),
      plainArray(results.map((r) => r.delayMs)),
      plainArray(results.map((r) => Math.round(r.startedAtMs))),
      plainArray(results.map((r) => r.status)),
      textArray(results.map((r) => r.errorCode)),
      plainArray(results.map((r) => r.dnsMs)),
      plainArray(results.map((r) => r.connectMs)),
      plainArray(results.map((r) => r.tlsMs)),
      plainArray(results.map((r) => r.firstByteMs)),
      plainArray(results.map((r) => r.durationMs)),
      textArray(results.map((r) => r.url)),
      textArray(results.map((r) => r.responseHeaders)),
      byteaArray(results.map((r) => r.responseBody)),
      plainArray(results.map((r) => r.responseTruncated)),
      plainArray(unbroken),
      plainArray(latestFailure),
      plainArray([...new Set(results.map((r) => r.endpointId))]),
      workerId,
    ],
  });
  return rows[0]?.moved ?? 0;
}

/**
 * Which failures no success of the same endpoint follows in the batch (they count as consecutive), and which
 * is the endpoint's latest. Here and not in SQL, where it took a sort of the batch.
 */
function foldMarks(results: Settlement[]): { unbroken: boolean[]; latestFailure: boolean[] } {
  const unbroken = new Array<boolean>(results.length).fill(false);
  const latestFailure = new Array<boolean>(results.length).fill(false);
  const succeeded = new Set<string>();
  const failed = new Set<string>();
  for (let i = results.length - 1; i >= 0; i--) {
    const { endpointId, outcome } = results[i] as Settlement;
    if (outcome === "delivered") succeeded.add(endpointId);
    else {
      unbroken[i] = !succeeded.has(endpointId);
      latestFailure[i] = !failed.has(endpointId);
      failed.add(endpointId);
    }
  }
  return { unbroken, latestFailure };
}
