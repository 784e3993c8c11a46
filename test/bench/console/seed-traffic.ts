import { createHash } from "node:crypto";
import { byteaArray } from "#lib/db/arrays.ts";
import { createSearchHasher } from "#lib/search/hash.ts";
import { filled, random, type Seeding } from "./fill.ts";
import { eventTypeNames } from "./seed-catalogue.ts";

/** For databases of the bench alone, so that a kept one is understood again. */
export const benchSecretKey = createHash("sha256").update("posthorn console bench").digest();
/** What one event has, and what as many have as a search goes through, and more. */
export const searchedValues = { rare: "value-of-one-event", frequent: "value-of-many-events" };
const frequentEvents = 1_500;

const bodyDays = 30;
const dayMs = 86_400_000;
const daily = ["event_bodies", "delivery_requests", "attempt_responses"];
const monthly = ["events", "delivery_attempts", "search_keys"];

/** How an attempt fails: reason, status, error code, and whether another one is made. */
const answers = [
  ["server_error", 500, null, true],
  ["server_error", 503, null, true],
  ["unauthorized", 401, null, false],
  ["timeout", null, "POSTHORN_TIMEOUT", true],
  ["gone", 410, null, false],
  ["connection_refused", null, "ECONNREFUSED", true],
  ["payload_refused", 422, null, false],
  ["rate_limited", 429, null, true],
  ["not_found", 404, null, false],
  ["server_error", 502, null, true],
] as const;
const answerTable = `(values ${answers
  .map(([reason, status, code, again], i) => {
    const errorCode = code === null ? "null::text" : `'${code}'`;
    return `(${i + 1}, '${reason}'::posthorn.reason, ${status ?? "null::int"}, ${errorCode}, ${again})`;
  })
  .join(", ")}) a (number, reason, status, error_code, again)`;

/** Two deliveries an event, to two endpoints of one affiliate; the first endpoints get the most. */
export async function seedTraffic(seeding: Seeding): Promise<void> {
  const span = spanOf(seeding);
  await makePartitions(seeding, span);
  await seedEvents(seeding, span);
  await filled(seeding, { table: "deliveries", insert: deliveriesInsert(seeding, span) });
  await seeding.pool.query(
    "select setval(pg_get_serial_sequence('posthorn.deliveries', 'id'), max(id)) from posthorn.deliveries",
  );
  await filled(seeding, { table: "delivery_attempts", insert: attemptsInsert });
  await filled(seeding, { table: "attempt_responses", insert: responsesInsert(span) });
  await filled(seeding, { table: "delivery_requests", insert: requestsInsert(span) });
}

type Span = { startMs: number; endMs: number; bodiesFromMs: number; events: number; event: string };

function spanOf({ sizes }: Seeding): Span {
  const endMs = Date.now() - 1_000;
  const startMs = endMs - sizes.days * dayMs;
  const events = Math.ceil(sizes.deliveries / 2);
  const stepMs = (endMs - startMs) / events;
  const type = `case when e % 20000 = 7 then '${eventTypeNames[14]}' when e % 1000 = 3 then '${eventTypeNames[13]}'
    when e % 250 = 1 then '${eventTypeNames[12]}'
    else (array['${eventTypeNames.slice(0, 12).join("','")}'])[1 + floor(12 * ${random("e", 1)} ^ 2)::int] end`;
  // Of the event `e`: its columns, and the number of the endpoint that decides whose it is.
  const event = `(select lpad(to_hex(at_ms), 12, '0') || '7000' || lpad(to_hex(e), 16, '0') as hex, at_ms,
      to_timestamp(at_ms / 1000.0) as at, ${type} as type,
      1 + floor(${sizes.endpoints} * ${random("e", 5)} ^ 2)::int as endpoint
    from (select (${startMs} + e::float8 * ${stepMs})::bigint as at_ms) time) v`;
  return { startMs, endMs, bodiesFromMs: Math.max(startMs, endMs - bodyDays * dayMs), events, event };
}

const eventIdOf =
  "overlay(overlay(overlay(overlay(hex placing '-' from 9 for 0) placing '-' from 14 for 0) placing '-' from 19 for 0) placing '-' from 24 for 0)";

async function makePartitions({ pool }: Seeding, { startMs, bodiesFromMs, endMs }: Span): Promise<void> {
  for (const parent of daily) {
    await pool.query(
      `select posthorn.ensure_partition($1, day, day + interval '24 hours') from generate_series(
         date_trunc('day', $2::timestamptz, 'UTC'), $3::timestamptz, interval '24 hours') day`,
      [parent, new Date(bodiesFromMs), new Date(endMs)],
    );
  }
  for (const parent of monthly) {
    await pool.query(
      `select posthorn.ensure_partition($1, month, month + interval '1 month') from (
         select generate_series(date_trunc('month', $2::timestamptz at time zone 'UTC'), $3::timestamptz at time zone 'UTC',
           interval '1 month') at time zone 'UTC' as month) months`,
      [parent, new Date(startMs), new Date(endMs)],
    );
  }
}

async function seedEvents(seeding: Seeding, { events, event, bodiesFromMs }: Span): Promise<void> {
  const all = `from generate_series(1, ${events}) e cross join lateral ${event}`;
  await filled(seeding, {
    table: "events",
    insert: `insert into posthorn.events (id, received_at, affiliate_id, type, occurred_at, ordering_key, data_bytes)
      select ${eventIdOf}, v.at, p.affiliate_id, v.type, v.at, 'key-' || e % 5000, 90
      ${all} join bench.endpoints p on p.n = v.endpoint`,
  });
  await filled(seeding, {
    table: "event_keys",
    insert: `insert into posthorn.event_keys (id, content_hash, received_at)
      select ${eventIdOf}, decode(md5(e::text), 'hex'), v.at ${all}`,
  });
  await filled(seeding, {
    table: "event_bodies",
    insert: `insert into posthorn.event_bodies (event_id, received_at, type, occurred_at, data)
      select ${eventIdOf}, v.at, v.type, v.at,
        convert_to('{"click_id":"c-' || e || '","order_id":"o-' || e || '","amount":"' || e % 500 || '.50"}', 'UTF8')
      ${all} where v.at_ms >= ${bodiesFromMs}`,
  });
  await filled(seeding, {
    table: "search_keys",
    insert: `insert into posthorn.search_keys (key, event_id, received_at)
      select decode(md5(field || e), 'hex'), ${eventIdOf}, v.at ${all}
      cross join (values ('click'), ('order')) f (field)`,
  });
  const hash = createSearchHasher(benchSecretKey);
  await seeding.pool.query(
    `insert into posthorn.search_keys (key, event_id, received_at)
     select ($1::bytea[])[1 + least(place - 1, 1)], id, received_at from (
       select id, received_at, row_number() over (order by received_at) as place
       from posthorn.events where ordering_key like 'key-%7') e
     where place = 1 or place % greatest(1, $2::int) = 0`,
    [
      byteaArray([hash(searchedValues.rare), hash(searchedValues.frequent)]),
      Math.floor(events / 10 / frequentEvents),
    ],
  );
}

function deliveriesInsert({ sizes }: Seeding, { event, endMs }: Span): string {
  const { deliveries, endpoints, affiliates, largest, deadLetters } = sizes;
  const others = affiliates - 1;
  const end = `to_timestamp(${endMs / 1_000})`;
  // A tenth of the endpoints has half of the dead letters.
  const dead = deadLetters / deliveries;
  const latest = Math.floor(deliveries * 0.96);
  const held = Math.floor(deliveries * 0.89);
  return `
insert into posthorn.deliveries (id, event_id, event_received_at, event_type, affiliate_id, endpoint_id, state, blocked,
  ordering_key, attempt_number, attempts_charged, next_attempt_at, leased_by, lease_token, reason, last_status, last_attempt_at,
  last_duration_ms, created_at, delivered_at, ended_at)
overriding system value
select d.n, ${eventIdOf}, v.at, v.type, p.affiliate_id, p.id, state::posthorn.delivery_state,
  state = 'pending' and p.kind = 'postback' and x < 0.2, case when p.kind = 'postback' then 'key-' || e % 5000 end,
  tries, tries, case when state = 'failed' then ${end} + (${random("d.n", 8)} - 0.1) * interval '2 hours' else v.at end,
  case when state = 'in_flight' then 1 end, case when state = 'in_flight' then d.n end,
  case state when 'skipped' then 'missing_click_id'::posthorn.reason when 'discarded' then 'discarded_by_hand'
    when 'failed' then a.reason when 'dead_letter' then a.reason end,
  case when state = 'delivered' then 200 when state in ('failed', 'dead_letter') then a.status end,
  case when tries > 0 then tried_at end, case when tries > 0 then ms end, v.at,
  case when state = 'delivered' then tried_at + ms * interval '1 ms' end,
  case when state in ('delivered', 'dead_letter', 'discarded') then tried_at + ms * interval '1 ms' when state = 'skipped' then v.at end
from generate_series(1, ${deliveries}) d (n) cross join lateral (select (d.n + 1) / 2 as e) pair cross join lateral ${event}
join bench.endpoints p on p.n = case when d.n % 2 = 1 then v.endpoint when v.endpoint <= ${largest} then v.endpoint % ${largest} + 1
  when v.endpoint + ${others} <= ${endpoints} then v.endpoint + ${others} else v.endpoint - ${others} end
cross join lateral (select ${random("d.n", 7)} as x, ${random("d.n", 9)} as y,
  p.condition in ('paused', 'disabled', 'open', 'failing', 'flaky') as troubled) o
join ${answerTable} on a.number = case when o.troubled then p.answer else 1 + floor(10 * ${random("d.n", 10)})::int end
cross join lateral (select case
    when d.n > ${deliveries} - 500 and x < 0.3 then 'in_flight'
    when d.n > ${held} and p.condition in ('paused', 'disabled') then 'pending'
    when d.n > ${latest} and not o.troubled and x < 0.6 then 'pending'
    when d.n > ${latest} and x < 0.8 then 'failed'
    when y < ${dead} * case when o.troubled then 5 else 0.556 end then 'dead_letter'
    when x < 0.02 then 'skipped' when x < 0.025 then 'discarded' else 'delivered' end as state) s
cross join lateral (select case state when 'pending' then 0 when 'skipped' then 0 when 'discarded' then 0
    when 'failed' then case when a.again then 1 + d.n % 3 else 1 end when 'dead_letter' then case when a.again then 5 else 1 end
    when 'in_flight' then 1 else case when y > 0.96 then 2 + d.n % 3 else 1 end end as tries,
  15 + case when p.condition = 'slow' then 3000 else 60 end * -ln(1.0 - ${random("d.n", 11)}) as ms) t
cross join lateral (select least(v.at + interval '50 ms' + greatest(tries - 1, 0) * interval '3 minutes', ${end}) as tried_at) tried`;
}

const attemptsInsert = `
insert into posthorn.delivery_attempts (delivery_id, number, started_at, endpoint_id, outcome, reason, status, error_code, dns_ms,
  connect_ms, tls_ms, first_byte_ms, duration_ms, worker_id)
select d.id, number, greatest(d.created_at, d.last_attempt_at - (d.attempt_number - number) * interval '3 minutes'), d.endpoint_id,
  (case when good then 'delivered' when number = d.attempt_number and d.state = 'dead_letter' and d.attempts_charged < 5
    then 'permanent' else 'transient' end)::posthorn.attempt_outcome,
  case when not good then coalesce(d.reason, 'server_error') end,
  case when good then 200 when d.reason is null then 500 else d.last_status end,
  case when d.reason = 'timeout' then 'POSTHORN_TIMEOUT' end,
  case when number = 1 then 1.5 end, case when number = 1 then 8 end, case when number = 1 then 15 end,
  d.last_duration_ms * 0.9, d.last_duration_ms, 1 + d.id % 4
from posthorn.deliveries d cross join lateral generate_series(1, d.attempt_number) number
cross join lateral (select number = d.attempt_number and d.state = 'delivered' as good) o
where d.state <> 'in_flight'`;

const responsesInsert = ({ bodiesFromMs }: Span) => `
insert into posthorn.attempt_responses (delivery_id, number, started_at, url, headers, body)
select delivery_id, number, started_at, 'https://hooks.example/in',
  case when status is not null then '["content-type","application/json","date","Mon, 01 Jan 2024 00:00:00 GMT"]' end,
  case when status is not null then convert_to('{"ok":' || (status = 200) || '}', 'UTF8') end
from posthorn.delivery_attempts where started_at >= to_timestamp(${bodiesFromMs / 1_000})`;

const requestsInsert = ({ bodiesFromMs }: Span) => `
insert into posthorn.delivery_requests (delivery_id, received_at, method, url)
select d.id, d.event_received_at, 'GET', 'https://hooks.example/pb?c=c-' || d.id
from posthorn.deliveries d where d.ordering_key is not null and d.event_received_at >= to_timestamp(${bodiesFromMs / 1_000})
  and d.state <> 'skipped'`;
