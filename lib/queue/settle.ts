import type pg from "pg";
import { bigintArray, byteaArray, doubleArray, plainArray, textArray } from "#lib/db/arrays.ts";
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
const unjudged = "not f.endpoint_id = any($13::uuid[])";
const soundAndClosed = `${unjudged} and h.breaker = 'closed' and h.breaker_epoch = f.epoch`;

/** What is a number of each result, or stands for a value by its place in a list of its own: all in one array. */
const numberNames = [
  "endpoint",
  "number",
  "state",
  "outcome",
  "attemptReason",
  "reason",
  "delayMs",
  "startedMs",
  "status",
  "dnsMs",
  "connectMs",
  "tlsMs",
  "firstByteMs",
  "durationMs",
  "truncated",
  "latestFailure",
  "epoch",
] as const;
type NumberName = (typeof numberNames)[number];

const number = (name: NumberName) =>
  `($7::float8[])[(at - 1) * ${numberNames.length} + ${numberNames.indexOf(name) + 1}]`;
const numberOrNull = (name: NumberName) => `nullif(${number(name)}, 'NaN')`;
const listed = (list: string, name: NumberName) => `(${list})[${number(name)}::int]`;

/** The columns of an attempt and of its response, out of rows that have those of `r`. */
const attemptOf = (
  late: boolean,
) => `id, number, to_timestamp(started_ms / 1000), endpoint_id, outcome, attempt_reason,
    status, error_code, dns_ms, connect_ms, tls_ms, first_byte_ms, duration_ms, ${late}, $12::bigint`;
const responseOf = "id, number, to_timestamp(started_ms / 1000), url, headers, body, truncated";

/**
 * Writes up to 500 results in one statement, and returns those whose lease was lost: they move nothing, and their
 * attempts are recorded as late. Safe to repeat when the answer to it was lost.
 *
 * `locked` takes the health rows first and in order of id, so that settlements cannot deadlock with each other;
 * `(select count(*) from locked) >= 0` makes it run before the update. `fold` counts only what was moved, so
 * that late results change no endpoint's counters.
 *
 * One array of numbers and not one for each column: `unnest` keeps a store of rows for each of its arrays, and with
 * 23 of them that was a tenth of what a delivery costs the database. `r` is worked out once, unless something is late.
 */
const text = `
with r as not materialized (
  select t.id, t.token, ${listed("$8::uuid[]", "endpoint")} as endpoint_id, ${number("number")}::int as number,
    ${listed("$9::posthorn.delivery_state[]", "state")} as state,
    ${listed("$10::posthorn.attempt_outcome[]", "outcome")} as outcome,
    ${listed("$11::posthorn.reason[]", "attemptReason")} as attempt_reason,
    ${listed("$11::posthorn.reason[]", "reason")} as reason, ${numberOrNull("delayMs")} as delay_ms,
    ${number("startedMs")} as started_ms, ${numberOrNull("status")}::int as status, t.error_code,
    ${numberOrNull("dnsMs")}::real as dns_ms, ${numberOrNull("connectMs")}::real as connect_ms,
    ${numberOrNull("tlsMs")}::real as tls_ms, ${numberOrNull("firstByteMs")}::real as first_byte_ms,
    ${number("durationMs")}::real as duration_ms, t.url, t.headers, t.body, ${number("truncated")} = 1 as truncated,
    ${number("latestFailure")} = 1 as latest_failure, ${number("epoch")}::int as epoch
  from rows from (unnest($1::bigint[]), unnest($2::bigint[]), unnest($3::text[]), unnest($4::text[]),
    unnest($5::bytea[]), unnest($6::text[]))
    with ordinality as t (id, token, url, headers, body, error_code, position), lateral (select t.position::int) p (at)
), locked as materialized (
  select endpoint_id from posthorn.endpoint_health
  where endpoint_id = any($8::uuid[]) order by endpoint_id for update
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
  returning r.*
), late as materialized (
  select * from r where (select count(*) from moved) < cardinality($1::bigint[])
    and not exists (select from moved m where m.id = r.id and m.token = r.token)
), attempt as (
  insert into posthorn.delivery_attempts (delivery_id, number, started_at, endpoint_id, outcome, reason, status,
    error_code, dns_ms, connect_ms, tls_ms, first_byte_ms, duration_ms, late, worker_id)
  select ${attemptOf(false)} from moved
  union all select ${attemptOf(true)} from late where not exists (${recorded("delivery_attempts")})
), response as (
  insert into posthorn.attempt_responses (delivery_id, number, started_at, url, headers, body, body_truncated)
  select ${responseOf} from moved
  union all select ${responseOf} from late where not exists (${recorded("attempt_responses")})
), fold as (
  select endpoint_id, count(*)::int as n, bool_or(outcome = 'delivered') as any_success,
    bool_or(outcome <> 'delivered') as any_failure, max(epoch) as epoch,
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
    recent_attempts = case when not (${soundAndClosed}) then h.recent_attempts
      when ${passed} > 0 then posthorn.count_recent(h.recent_attempts, ${passed}, f.n)
      else array[coalesce(h.recent_attempts[1], 0) + f.n] || h.recent_attempts[2:] end,
    recent_failures = case when ${soundAndClosed} and ${passed} > 0
      then posthorn.count_recent(h.recent_failures, ${passed}, 0) else h.recent_failures end,
    recent_slot = case when ${soundAndClosed} then greatest(h.recent_slot, ${slot}) else h.recent_slot end,
    last_success_at = case when f.any_success then now() else h.last_success_at end,
    last_failure_at = case when f.any_failure then now() else h.last_failure_at end,
    last_failure_reason = case when f.any_failure then f.failure_reason else h.last_failure_reason end,
    last_failure_status = case when f.any_failure then f.failure_status else h.last_failure_status end
  from fold f where h.endpoint_id = f.endpoint_id
), minute as (
  insert into posthorn.delivery_minutes as t (minute, worker_id, delivered, failed, dead_letters, delivered_ms_sum)
  select date_trunc('minute', now()), $12::bigint, count(*) filter (where outcome = 'delivered'),
    count(*) filter (where outcome <> 'delivered'), count(*) filter (where state = 'dead_letter'),
    coalesce(sum(duration_ms) filter (where outcome = 'delivered'), 0)
  from moved having count(*) > 0
  on conflict (minute, worker_id) do update set delivered = t.delivered + excluded.delivered,
    failed = t.failed + excluded.failed, dead_letters = t.dead_letters + excluded.dead_letters,
    delivered_ms_sum = t.delivered_ms_sum + excluded.delivered_ms_sum
)
select coalesce(array_agg(id || ' ' || token), '{}') as late from late`;

/** Asked only for late results: a settlement that is repeated must not record them twice. */
function recorded(table: string): string {
  return `select from posthorn.${table} a
    where a.delivery_id = late.id and a.number = late.number and a.started_at = to_timestamp(late.started_ms / 1000)`;
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
  const endpoints = listOf(results.map((r) => r.endpointId));
  const states = listOf(results.map((r) => r.state));
  const outcomes = listOf(results.map((r) => r.outcome));
  const reasons = listOf(results.flatMap((r) => [r.attemptReason, r.reason]));
  const latest = latestFailures(results);
  const numbersOf = (r: Settlement, i: number): Record<NumberName, number> => ({
    endpoint: endpoints.placeOf(r.endpointId),
    number: r.attemptNumber,
    state: states.placeOf(r.state),
    outcome: outcomes.placeOf(r.outcome),
    attemptReason: reasons.placeOf(r.attemptReason),
    reason: reasons.placeOf(r.reason),
    delayMs: r.delayMs ?? Number.NaN,
    startedMs: Math.round(r.startedAtMs),
    status: r.status ?? Number.NaN,
    dnsMs: r.dnsMs ?? Number.NaN,
    connectMs: r.connectMs ?? Number.NaN,
    tlsMs: r.tlsMs ?? Number.NaN,
    firstByteMs: r.firstByteMs ?? Number.NaN,
    durationMs: r.durationMs,
    truncated: Number(r.responseTruncated),
    latestFailure: Number(latest[i]),
    epoch: r.breakerEpoch,
  });
  const { rows } = await db.query<{ late: string[] }>({
    name: "settle",
    text,
    values: [
      bigintArray(results.map((r) => r.deliveryId)),
      bigintArray(results.map((r) => r.leaseToken)),
      textArray(results.map((r) => r.url)),
      textArray(results.map((r) => r.responseHeaders)),
      byteaArray(results.map((r) => r.responseBody)),
      textArray(results.map((r) => r.errorCode)),
      doubleArray(
        results.flatMap((r, i) => {
          const numbers = numbersOf(r, i);
          return numberNames.map((name) => numbers[name]);
        }),
      ),
      plainArray(endpoints.values),
      plainArray(states.values),
      plainArray(outcomes.values),
      plainArray(reasons.values),
      workerId,
      plainArray([...judged]),
    ],
  });
  const late = new Set(rows[0]?.late);
  const inTime =
    late.size === 0 ? results : results.filter((r) => !late.has(`${r.deliveryId} ${r.leaseToken}`));
  return new Set(inTime.map((r) => r.deliveryId));
}

/** The different values among these, and each one's place in an array of SQL; null has place 0, where nothing is. */
function listOf<T extends string>(
  all: readonly (T | null)[],
): { values: T[]; placeOf: (value: T | null) => number } {
  const values = [...new Set(all)].filter((value) => value !== null);
  const places = new Map(values.map((value, i) => [value, i + 1]));
  return { values, placeOf: (value) => (value === null ? 0 : (places.get(value) as number)) };
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
