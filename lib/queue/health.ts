import type pg from "pg";
import { plainArray } from "#lib/db/arrays.ts";
import { catchUpLimit, type Gate, readyAtMs } from "#lib/delivery/admission.ts";
import { type Breaker, type BreakerTransition, makeNextProbe } from "#lib/delivery/breaker.ts";
import type { FailureRow } from "#lib/delivery/disabling.ts";
import { type EndpointHold, noHold } from "#lib/delivery/endpoint-hold.ts";
import { ratePeriodSeconds, ratePeriods } from "#lib/delivery/token-bucket.ts";
import type { BreakerState } from "#lib/vocabulary.ts";

/** An endpoint's health as the delivery core knows it, read under a lock. */
export type Health = {
  endpointId: string;
  /** Neither paused, nor disabled, nor deleted. */
  active: boolean;
  concurrency: number;
  breaker: Breaker;
  hold: EndpointHold;
  rate: Gate["rate"];
  heldBy: string | null;
  failures: FailureRow;
  catchingUp: boolean;
  /** P95 of the last hour; null when too few samples bear it out. */
  hourP95Ms: number | null;
};

/** What is to be stored: the new state, and the lines that its history gains. */
export type HealthChange = { health: Health; transitions: BreakerTransition[] };

/** `Infinity` and `null` as PostgreSQL has them: infinity, and nothing. */
const time = (milliseconds: string) => `case when ${milliseconds} = 'infinity' then 'infinity'::timestamptz
  when ${milliseconds} = '-infinity' then '-infinity'::timestamptz
  else to_timestamp(${milliseconds} / 1000) end`;

type Row = {
  endpoint_id: string;
  active: boolean;
  concurrency: number;
  breaker: BreakerState;
  ready_ms: number;
  epoch: number;
  cooldown: number;
  held_by: string | null;
  ramp: number | null;
  ramp_answers: number;
  slot: number;
  attempts: number[];
  failures: number[];
  consecutive: number;
  hold_ms: number | null;
  limited: number;
  rate_amount: number | null;
  rate_period: number | null;
  rate_burst: number | null;
  bucket_level: string | null;
  bucket_at_ms: string | null;
  failing_since: number | null;
  failing_latest: number | null;
  failing_attempts: number;
  warned_days: number;
  catching_up: boolean;
  hour_p95_ms: number | null;
};

/** Locks the health rows of these endpoints until the transaction ends, in order of id as every operation does. */
export async function lockEndpointHealth(
  client: pg.ClientBase,
  endpointIds: readonly string[],
): Promise<void> {
  await client.query({
    name: "lock_health",
    text: `select from posthorn.endpoint_health where endpoint_id = any($1::uuid[]) order by endpoint_id for update`,
    values: [plainArray(endpointIds)],
  });
}

/**
 * Locks the health rows of these endpoints, and returns those of `wanted`, with the database's clock. To be followed by `storeHealth` in the same transaction.
 */
export async function lockHealth(
  client: pg.ClientBase,
  options: { endpointIds: readonly string[]; wanted: readonly string[] },
): Promise<{ nowMs: number; healths: Health[] }> {
  await lockEndpointHealth(client, options.endpointIds);
  // A statement of its own, so that it sees what others stored while the locks were waited for.
  const { rows } = await client.query<Row & { now_ms: number }>({
    name: "read_health",
    text: `select h.endpoint_id, e.status = 'active' and e.deleted_at is null as active, e.concurrency, h.breaker,
        extract(epoch from h.ready_at)::float8 * 1000 as ready_ms, h.breaker_epoch as epoch,
        h.breaker_cooldown_seconds as cooldown, h.breaker_held_by as held_by, h.ramp, h.ramp_answers,
        h.recent_slot as slot, h.recent_attempts as attempts, h.recent_failures as failures,
        h.consecutive_failures as consecutive, extract(epoch from h.hold_until)::float8 * 1000 as hold_ms,
        h.rate_limited_in_a_row as limited, e.rate_amount, e.rate_period_seconds as rate_period, e.rate_burst,
        h.bucket_level, h.bucket_at_ms, extract(epoch from h.failing_since)::float8 * 1000 as failing_since,
        extract(epoch from h.failing_latest)::float8 * 1000 as failing_latest, h.failing_attempts, h.warned_days,
        h.catching_up, p.hour_p95_ms, floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms
      from posthorn.endpoint_health h join posthorn.endpoints e on e.id = h.endpoint_id
      left join posthorn.endpoint_percentiles p on p.endpoint_id = h.endpoint_id
      where h.endpoint_id = any($1::uuid[])`,
    values: [plainArray(options.wanted)],
  });
  return { nowMs: rows[0]?.now_ms ?? Date.now(), healths: rows.map(toHealth) };
}

/** Stores what the core decided, and writes the breakers' history. */
export async function storeHealth(client: pg.ClientBase, changes: readonly HealthChange[]): Promise<void> {
  const healths = changes.map((change) => change.health);
  const breakers = healths.map((health) => health.breaker);
  const transitions = changes.flatMap(({ health, transitions }) =>
    transitions.map((transition) => ({ endpointId: health.endpointId, ...transition })),
  );
  await client.query({
    name: "store_health",
    text: `
with c as (
  select * from unnest($1::uuid[], $2::posthorn.breaker_state[], $3::int[], $4::int[], $5::text[], $6::int[], $7::int[],
    $8::int[], $9::text[], $10::text[], $11::int[], $12::float8[], $13::int[], $14::float8[], $15::float8[],
    $16::float8[], $17::int[], $18::int[], $19::boolean[])
  as t (endpoint_id, breaker, epoch, cooldown, held_by, ramp, ramp_answers, slot, attempts, failures, consecutive,
    hold_ms, limited, ready_ms, failing_since, failing_latest, failing_attempts, warned_days, catching_up)
), stored as (
  update posthorn.endpoint_health h
  set breaker = c.breaker, breaker_epoch = c.epoch, breaker_cooldown_seconds = c.cooldown,
    breaker_changed_at = case when h.breaker <> c.breaker then now() else h.breaker_changed_at end,
    breaker_held_by = c.held_by, ramp = c.ramp, ramp_answers = c.ramp_answers, recent_slot = c.slot,
    recent_attempts = c.attempts::int[], recent_failures = c.failures::int[], consecutive_failures = c.consecutive,
    hold_until = ${time("c.hold_ms")}, rate_limited_in_a_row = c.limited, ready_at = ${time("c.ready_ms")},
    failing_since = to_timestamp(c.failing_since / 1000), failing_latest = to_timestamp(c.failing_latest / 1000),
    failing_attempts = c.failing_attempts, warned_days = c.warned_days, catching_up = c.catching_up,
    probe_delivery_id = case when c.breaker = 'half_open' then h.probe_delivery_id end
  from c where h.endpoint_id = c.endpoint_id
)
insert into posthorn.breaker_transitions (endpoint_id, from_state, to_state, cause, cooldown_seconds)
select * from unnest($20::uuid[], $21::posthorn.breaker_state[], $22::posthorn.breaker_state[],
  $23::posthorn.breaker_cause[], $24::int[])`,
    values: [
      plainArray(healths.map((health) => health.endpointId)),
      plainArray(breakers.map((breaker) => breaker.state)),
      plainArray(breakers.map((breaker) => breaker.epoch)),
      plainArray(breakers.map((breaker) => breaker.cooldownSeconds)),
      healths.map((health) => health.heldBy),
      plainArray(breakers.map((breaker) => breaker.ramp)),
      plainArray(breakers.map((breaker) => breaker.rampAnswers)),
      plainArray(breakers.map((breaker) => breaker.recent.slot)),
      breakers.map((breaker) => plainArray(breaker.recent.attempts)),
      breakers.map((breaker) => plainArray(breaker.recent.failures)),
      plainArray(breakers.map((breaker) => breaker.consecutiveFailures)),
      plainArray(healths.map((health) => health.hold.heldUntilMs)),
      plainArray(healths.map((health) => health.hold.rateLimitedInARow)),
      plainArray(
        healths.map((health) =>
          readyAtMs({ ...health, heldUntilMs: health.hold.heldUntilMs, rate: health.rate }),
        ),
      ),
      plainArray(healths.map((health) => health.failures.sinceMs)),
      plainArray(healths.map((health) => health.failures.latestMs)),
      plainArray(healths.map((health) => health.failures.failures)),
      plainArray(healths.map((health) => health.failures.warnedDays)),
      plainArray(healths.map((health) => health.catchingUp)),
      plainArray(transitions.map((transition) => transition.endpointId)),
      plainArray(transitions.map((transition) => transition.from)),
      plainArray(transitions.map((transition) => transition.to)),
      plainArray(transitions.map((transition) => transition.cause)),
      plainArray(transitions.map((transition) => transition.cooldownSeconds)),
    ],
  });
}

/** Locks one endpoint's health row, changes it, and stores it. `change` also hears the database's clock. */
export async function changeHealth(
  client: pg.ClientBase,
  endpointId: string,
  change: (health: Health, nowMs: number) => HealthChange,
): Promise<void> {
  const { nowMs, healths } = await lockHealth(client, { endpointIds: [endpointId], wanted: [endpointId] });
  await storeHealth(
    client,
    healths.map((health) => change(health, nowMs)),
  );
}

/** The next delivery is the probe, as `makeNextProbe` says. Another target has not asked for a pause. */
export function probeNext(health: Health, options: Parameters<typeof makeNextProbe>[1]): HealthChange {
  const { breaker, transitions } = makeNextProbe(health.breaker, options);
  const hold = options.cause === "endpoint_changed" ? noHold : health.hold;
  return { health: { ...health, breaker, hold }, transitions };
}

function toHealth(row: Row): Health {
  // After a pause ready_at still says that, and not when the probe was due; resuming makes it due anyway.
  const dueMs = Number.isFinite(row.ready_ms) ? row.ready_ms : 0;
  const retryAtMs = row.held_by === null ? dueMs : Number.POSITIVE_INFINITY;
  return {
    endpointId: row.endpoint_id,
    active: row.active,
    concurrency: row.concurrency,
    heldBy: row.held_by,
    breaker: {
      state: row.breaker,
      retryAtMs: row.breaker === "open" ? retryAtMs : null,
      cooldownSeconds: row.cooldown,
      consecutiveFailures: row.consecutive,
      recent: { slot: row.slot, attempts: row.attempts, failures: row.failures },
      epoch: row.epoch,
      ramp: row.ramp,
      rampAnswers: row.ramp_answers,
    },
    hold: { heldUntilMs: row.hold_ms, rateLimitedInARow: row.limited },
    rate: toRate(row),
    failures: {
      sinceMs: row.failing_since,
      latestMs: row.failing_latest,
      failures: row.failing_attempts,
      warnedDays: row.warned_days,
    },
    catchingUp: row.catching_up,
    hourP95Ms: row.hour_p95_ms,
  };
}

function toRate(row: Row): Gate["rate"] {
  const { rate_amount: amount, rate_period: seconds, rate_burst: burst, bucket_level, bucket_at_ms } = row;
  if (bucket_level === null || bucket_at_ms === null) return null;
  const bucket = { level: Number(bucket_level), atMs: Number(bucket_at_ms) };
  if (amount === null || seconds === null || burst === null) {
    return row.catching_up ? { limit: catchUpLimit, bucket } : null;
  }
  const per = ratePeriods.find((period) => ratePeriodSeconds[period] === seconds) ?? "hour";
  return { limit: { amount, per, burst }, bucket };
}
