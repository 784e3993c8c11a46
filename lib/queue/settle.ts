import type pg from "pg";
import { byteaArray, plainArray, textArray } from "#lib/db/arrays.ts";
import { inClientTransaction, type Queryable } from "#lib/db/database.ts";
import { settleResults } from "#lib/delivery/breaker.ts";
import type { Classification } from "#lib/delivery/classify.ts";
import { disablesAtOnce, disablingSignal, settleFailures } from "#lib/delivery/disabling.ts";
import { settleHold } from "#lib/delivery/endpoint-hold.ts";
import { breakerThreshold } from "#lib/delivery/slow.ts";
import type { Verdict } from "#lib/delivery/verdict.ts";
import type { AttemptOutcome, DeliveryState, Reason } from "#lib/vocabulary.ts";
import { disable, type EndpointSignal, lockActive } from "./disable.ts";
import { type Health, type HealthChange, lockHealth, storeHealth } from "./health.ts";
import { freeHeads } from "./ordering.ts";

/** One attempt's end and what it means for its delivery. Durations in milliseconds. */
export type Settlement = {
  deliveryId: string;
  leaseToken: string;
  endpointId: string;
  affiliateId: string;
  /** It has an ordering key. */
  ordered: boolean;
  attemptNumber: number;
  state: Extract<DeliveryState, "delivered" | "failed" | "dead_letter">;
  outcome: Extract<AttemptOutcome, "delivered" | "transient" | "permanent">;
  /** Why the attempt failed; null when it did not. */
  attemptReason: Reason | null;
  /** Why the delivery stands where it does; null once it is delivered. */
  reason: Reason | null;
  /** Until the next attempt; null when none follows. */
  delayMs: number | null;
  /** What it says about the endpoint, and of which epoch of its breaker. */
  verdict: Verdict;
  breakerEpoch: number;
  /** Nothing was wrong with the endpoint when this was claimed. */
  endpointWasSound: boolean;
  /** Of a Retry-After that is heeded. */
  retryAfterMs: number | null;
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

/** Half minutes since 1970, as lib/delivery/breaker.ts counts them. */
const slot = "floor(extract(epoch from now()) / 30)::int";
const passed = `${slot} - h.recent_slot`;
/** Successes alone, at a breaker that is closed: its counters need nobody's decision. */
const unjudged = "not f.endpoint_id = any($26::uuid[])";
const soundAndClosed = `${unjudged} and h.breaker = 'closed' and h.breaker_epoch = f.epoch`;

/**
 * Writes up to 500 results in one statement, and returns how many deliveries it moved. A result whose lease
 * was lost moves nothing: its attempt is recorded as late. Safe to repeat when the answer to it was lost.
 *
 * `locked` takes the health rows first and in order of id, so that settlements cannot deadlock with each other;
 * `(select count(*) from locked) >= 0` makes it run before the update. `fold` counts only what was moved, so
 * that late results change no endpoint's counters.
 */
const text = `
with r as materialized (
  select * from unnest($1::bigint[], $2::bigint[], $3::uuid[], $4::int[], $5::posthorn.delivery_state[],
    $6::posthorn.attempt_outcome[], $7::posthorn.reason[], $8::posthorn.reason[], $9::float8[], $10::float8[],
    $11::int[], $12::text[], $13::real[], $14::real[], $15::real[], $16::real[], $17::real[], $18::text[],
    $19::text[], $20::bytea[], $21::boolean[], $22::boolean[], $23::int[])
  as t (id, token, endpoint_id, number, state, outcome, attempt_reason, reason, delay_ms, started_ms,
    status, error_code, dns_ms, connect_ms, tls_ms, first_byte_ms, duration_ms, url, headers, body, truncated,
    latest_failure, epoch)
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
    r.duration_ms, r.attempt_reason, r.status, r.latest_failure, r.epoch
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
    max(epoch) as epoch,
    max(attempt_reason) filter (where latest_failure) as failure_reason,
    max(status) filter (where latest_failure) as failure_status
  from moved group by endpoint_id
), health as (
  update posthorn.endpoint_health h
  set in_flight = h.in_flight - f.n,
    consecutive_failures = case when ${soundAndClosed} then 0 else h.consecutive_failures end,
    failing_since = case when ${unjudged} then null else h.failing_since end,
    failing_latest = case when ${unjudged} then null else h.failing_latest end,
    failing_attempts = case when ${unjudged} then 0 else h.failing_attempts end,
    warned_days = case when ${unjudged} then 0 else h.warned_days end,
    recent_attempts = case when ${soundAndClosed} then posthorn.count_recent(h.recent_attempts, ${passed}, f.n)
      else h.recent_attempts end,
    recent_failures = case when ${soundAndClosed} then posthorn.count_recent(h.recent_failures, ${passed}, 0)
      else h.recent_failures end,
    recent_slot = case when ${soundAndClosed} then greatest(h.recent_slot, ${slot}) else h.recent_slot end,
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
select coalesce(array_agg(id), '{}') as moved from moved`;

/** Asked only for late results: a settlement that is repeated must not record them twice. */
function recorded(table: string): string {
  return `select from posthorn.${table} a
    where a.delivery_id = r.id and a.number = r.number and a.started_at = to_timestamp(r.started_ms / 1000)`;
}

export type Settled = {
  /** Deliveries; the others' leases were lost. */
  moved: number;
  /** Endpoints that are open, held or gone by now: what is claimed for them and not sent yet had better not go. */
  stopped: string[];
  /** What is to be asked of lib/queue/disable.ts; the endpoint's next failure asks again when that fails. */
  signals: EndpointSignal[];
};

/**
 * Settles up to a batch of one worker's results. Where all is well that is one statement. Endpoints that failed,
 * or were not sound when claimed, are judged by the delivery core: their health rows are locked and read, and
 * stored with the results in one transaction, which also disables what is gone. So it is where deliveries with a
 * key ended: the one behind each is freed under the same lock.
 */
export async function settle(
  pool: pg.Pool,
  options: { workerId: string; results: Settlement[] },
): Promise<Settled> {
  const { results } = options;
  if (results.length > settleBatchSize)
    throw new Error(`at most ${settleBatchSize} results can be settled at once`);
  const judged = new Set(
    results.filter((r) => r.verdict !== "success" || !r.endpointWasSound).map((r) => r.endpointId),
  );
  const ended = results.filter((r) => r.ordered && r.state !== "failed").map((r) => r.deliveryId);
  if (judged.size === 0 && ended.length === 0)
    return { moved: (await store(pool, { ...options, judged })).size, stopped: [], signals: [] };
  return inClientTransaction(pool, async (client) => {
    const endpointIds = [...new Set(results.map((r) => r.endpointId))];
    const gone = results.filter((r) => disablesAtOnce(classificationOf(r))).map((r) => r.endpointId);
    const active = await lockActive(client, gone);
    const { nowMs, healths } = await lockHealth(client, { endpointIds, wanted: [...judged] });
    const moved = await store(client, { ...options, judged });
    // What came after its lease was lost is recorded, and judges nobody.
    const byEndpoint = Map.groupBy(
      results.filter((r) => moved.has(r.deliveryId)),
      (r) => r.endpointId,
    );
    const judgements = healths.map((health) => judge(health, byEndpoint.get(health.endpointId) ?? [], nowMs));
    if (judged.size > 0) await storeHealth(client, judgements);
    for (const { isGone, health } of judgements) {
      const { endpointId } = health;
      const affiliateId = active.get(endpointId);
      if (isGone && affiliateId !== undefined)
        await disable(client, { endpointId, affiliateId, cause: { kind: "gone" } });
    }
    await freeHeads(
      client,
      ended.filter((id) => moved.has(id)),
    );
    return {
      moved: moved.size,
      stopped: judgements
        .filter(
          ({ isGone, health: { breaker, hold } }) =>
            isGone || breaker.state === "open" || (hold.heldUntilMs ?? 0) > nowMs,
        )
        .map(({ health }) => health.endpointId),
      signals: judgements.flatMap((judgement) => judgement.signals),
    };
  });
}

/** What these results mean for their endpoint, in the order in which they came. */
function judge(
  health: Health,
  results: readonly Settlement[],
  nowMs: number,
): HealthChange & { signals: EndpointSignal[]; isGone: boolean } {
  const { endpointId } = health;
  const { breaker, transitions } = settleResults(
    health.breaker,
    results.map((r) => ({ epoch: r.breakerEpoch, verdict: r.verdict })),
    { nowMs, threshold: breakerThreshold(health.hourP95Ms), concurrency: health.concurrency },
  );
  // What was asked of the endpoint as it was before says nothing about how it is now.
  const current = results.filter((r) => r.breakerEpoch === health.breaker.epoch);
  const hold = settleHold(health.hold, current, nowMs);
  const failures = settleFailures(health.failures, results.map(classificationOf), nowMs);
  const signal = disablingSignal(failures);
  return {
    health: { ...health, breaker, hold, failures },
    transitions,
    signals: signal ? [{ endpointId, signal }] : [],
    isGone: current.map(classificationOf).some(disablesAtOnce),
  };
}

function classificationOf({ outcome, attemptReason: reason }: Settlement): Classification {
  return { outcome, reason } as Classification;
}

/** Returns the ids of the deliveries that moved. */
async function store(
  db: Queryable,
  { workerId, results, judged }: { workerId: string; results: Settlement[]; judged: ReadonlySet<string> },
): Promise<Set<string>> {
  const { rows } = await db.query<{ moved: string[] }>({
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
      plainArray(latestFailures(results)),
      plainArray(results.map((r) => r.breakerEpoch)),
      plainArray([...new Set(results.map((r) => r.endpointId))]),
      workerId,
      plainArray([...judged]),
    ],
  });
  return new Set(rows[0]?.moved);
}

/** Which failure is its endpoint's latest in the batch. Here and not in SQL, where it took a sort of the batch. */
function latestFailures(results: Settlement[]): boolean[] {
  const failed = new Set<string>();
  const marks = results.toReversed().map(({ endpointId, outcome }) => {
    const latest = outcome !== "delivered" && !failed.has(endpointId);
    if (latest) failed.add(endpointId);
    return latest;
  });
  return marks.reverse();
}
