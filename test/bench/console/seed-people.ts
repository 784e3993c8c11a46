import { auditActions } from "#lib/audit/actions.ts";
import { findingKinds, keyPurposes, requeueStates } from "#lib/vocabulary.ts";
import { filled, idOf, random, type Seeding } from "./fill.ts";
import { eventTypeNames } from "./seed-catalogue.ts";

const userCount = 200;
const apiKeyCount = 500;
const requeueCount = 3_000;
/** By the first of the requeues, spread over all deliveries. */
const putBackCount = 50_000;
const batchSize = 500;
const alertCount = 20_000;
const openAlerts = 250;

const pick = (words: readonly string[], n: string, salt: number) =>
  `(array['${words.join("','")}'])[1 + floor(${words.length} * ${random(n, salt)})::int]`;

/** Users, keys, the audit log, requeues, alerts and the breakers' past. The first user is an admin. */
export async function seedPeople(seeding: Seeding): Promise<void> {
  const { pool, sizes } = seeding;
  await pool.query(`
    insert into posthorn.users (id, name, email, role, affiliate_id)
    select ${idOf("user", "n")}, 'User ' || n, 'user-' || n || '@posthorn.example', role::posthorn.role,
      case when role = 'affiliate' then ${idOf("affiliate", `1 + n % least(100, ${sizes.affiliates})`)} end
    from generate_series(1, ${userCount}) n cross join lateral (
      select case when n = 1 then 'admin' else (array['affiliate', 'support', 'support', 'ops', 'admin'])[1 + n % 5] end as role) r`);
  await pool.query(`
    insert into posthorn.api_keys (id, name, prefix, key_hash, purpose, created_by, revoked_at, created_at)
    select ${idOf("apiKey", "n")}, 'Key ' || n, 'ph_' || lpad(n::text, 6, '0'), sha256(int8send(n)),
      ${pick(keyPurposes, "n", 31)}::posthorn.key_purpose, 'bench', case when n % 3 = 0 then now() end, now() - n * interval '1 hour'
    from generate_series(1, ${apiKeyCount}) n`);
  await filled(seeding, { table: "audit_log", insert: auditInsert(sizes) });
  await pool.query(`
    insert into posthorn.requeues (id, operation, mode, state, filter, as_of, last_id, reason, actor_kind, actor_name, total,
      affiliate_id, created_at, started_at, ended_at)
    select ${idOf("requeue", "n")}, 'requeue', 'same_url', state::posthorn.requeue_state,
      json_build_object('endpoint', ${idOf("endpoint", `1 + n % ${sizes.endpoints}`)}), at, 1, 'Their server is back', 'user', 'User 1', 100,
      null, at, at, case when state in ('completed', 'cancelled', 'failed') then at end
    from generate_series(1, ${requeueCount}) n cross join lateral (
      select now() - (${requeueCount} - n) * interval '30 minutes' as at,
        case when n > ${requeueCount - 5} then 'running' else ${pick(requeueStates.slice(2), "n", 32)} end as state) r`);
  const putBack = Math.min(putBackCount, sizes.deliveries);
  await pool.query(`
    insert into posthorn.requeue_batches (requeue_id, last_id, ids)
    select ${idOf("requeue", "1")}, max(id), array_agg(id order by id)
    from (select n, n * ${Math.floor(sizes.deliveries / putBack)} as id from generate_series(1, ${putBack}) n) deliveries
    group by (n - 1) / ${batchSize}`);
  await pool.query(
    `insert into posthorn.alerts (key, kind, state, affiliate_id, endpoint_id, reason, count, finding, first_seen_at, last_seen_at, ended_at)
     select 'alert-' || k, ${pick(findingKinds, "k", 33)}::posthorn.finding_kind,
       (case when k > ${alertCount - openAlerts} then 'open' else 'ended' end)::posthorn.alert_state, p.affiliate_id, p.id, 'server_error',
       1 + k % 900, $1::json, at - interval '1 hour', at, case when k <= ${alertCount - openAlerts} then at end
     from generate_series(1, ${alertCount}) k cross join lateral (select now() - (${alertCount} - k) * interval '6 minutes' as at) t
     join bench.endpoints p on p.n = 1 + floor(${sizes.endpoints} * ${random("k", 34)} ^ 2)::int`,
    [JSON.stringify(finding)],
  );
  await pool.query("insert into posthorn.diagnoses (at, dead_letters) values (now(), $1)", [
    sizes.deadLetters,
  ]);
  // The second endpoint's has moved every few minutes for a month; those that fail have now and then.
  await pool.query(`
    insert into posthorn.breaker_transitions (endpoint_id, at, from_state, to_state, cause, cooldown_seconds)
    select p.id, now() - (moves - k) * interval '5 minutes',
      (array['closed', 'open', 'half_open'])[1 + k % 3]::posthorn.breaker_state,
      (array['open', 'half_open', 'closed'])[1 + k % 3]::posthorn.breaker_state,
      (array['consecutive_failures', 'probe_started', 'probe_succeeded'])[1 + k % 3]::posthorn.breaker_cause, 300
    from bench.endpoints p cross join lateral (
      select case when p.n = 2 then 8001 when p.condition in ('open', 'failing', 'flaky') then 301 else 1 end as moves) m
    cross join lateral generate_series(1, moves) k`);
}

const finding = {
  evidence: {
    count: 20,
    first_at: "2024-01-01T00:00:00Z",
    last_at: "2024-01-02T00:00:00Z",
    samples: [],
    answers: [],
    endpoints: 1,
  },
  sentence: "Their server answers 500 to everything.",
  remedy: "Wait until it is back, then requeue.",
  actions: [],
};

const auditInsert = ({ auditEntries, affiliates, endpoints, deliveries }: Seeding["sizes"]) => `
insert into posthorn.audit_log (at, actor_kind, actor_id, actor_name, address, user_agent, action, object_kind, object_id, affiliate_id, after)
select now() - (${auditEntries} - n) * interval '1 minute',
  (case when x < 0.7 then 'user' when x < 0.95 then 'api_key' else 'system' end)::posthorn.actor_kind,
  case when x < 0.7 then ${idOf("user", "1 + actor")}::text when x < 0.95 then ${idOf("apiKey", "1 + actor")}::text end,
  case when x < 0.7 then 'User ' || 1 + actor when x < 0.95 then 'Key ' || 1 + actor else 'Posthorn' end,
  '127.0.0.1', 'Mozilla/5.0', action, kind,
  case kind when 'endpoint' then ${idOf("endpoint", `1 + o.number % ${endpoints}`)}::text
    when 'affiliate' then ${idOf("affiliate", `1 + o.number % ${affiliates}`)}::text
    when 'delivery' then (1 + o.number % ${deliveries})::text when 'user' then ${idOf("user", `1 + o.number % ${userCount}`)}::text
    when 'api_key' then ${idOf("apiKey", `1 + o.number % ${apiKeyCount}`)}::text
    when 'requeue' then ${idOf("requeue", `1 + o.number % ${requeueCount}`)}::text
    when 'event_type' then '${eventTypeNames[0]}' else 'event-' || o.number end,
  case when kind = 'endpoint' then ${idOf("affiliate", `1 + floor(${affiliates} * ${random("n", 44)} ^ 3)::int`)} end,
  '{"name":"changed"}'
from generate_series(1, ${auditEntries}) n
cross join lateral (select ${random("n", 41)} as x, floor(${userCount} * ${random("n", 42)} ^ 3)::int as actor,
  ${pick(auditActions, "n", 43)} as action, (hashint8extended(n, 45) & 16777215) as number) o
cross join lateral (select split_part(action, '.', 1) as kind) k`;
