import { idOf, random, type Seeding } from "./fill.ts";

/** The most frequent first; the last three turn up in 1 of 250, 1 of 1,000 and 1 of 20,000 events. */
export const eventTypeNames = [
  "conversion.approved",
  "conversion.pending",
  "conversion.rejected",
  "lead.created",
  "lead.approved",
  "click.recorded",
  "order.created",
  "order.paid",
  "order.refunded",
  "payout.created",
  "payout.sent",
  "affiliate.joined",
  "lead.rejected",
  "bonus.granted",
  "payout.failed",
] as const;
export const silentType = "contract.ended";

const fields = [
  { name: "click_id", kind: "string", sensitive: true, searchable: true, required: true, example: "c-81723" },
  {
    name: "order_id",
    kind: "string",
    sensitive: false,
    searchable: true,
    required: false,
    example: "o-4711",
  },
  { name: "amount", kind: "decimal", sensitive: false, searchable: false, required: false, example: "12.50" },
].map((field) => ({ description: "", ...field }));

/** Event types, affiliates, and endpoints with their health; `bench.endpoints` numbers these for what follows. */
export async function seedCatalogue({ pool, sizes }: Seeding): Promise<void> {
  const { affiliates, endpoints, largest } = sizes;
  await pool.query(
    `insert into posthorn.event_types (name, description, fields)
     select name, 'When ' || name || ' happens', $2::json from unnest($1::text[]) t (name) on conflict do nothing`,
    [[...eventTypeNames, silentType], JSON.stringify(fields)],
  );
  await pool.query(
    `insert into posthorn.affiliates (id, key, name)
     select ${idOf("affiliate", "n")}, 'affiliate-' || n, 'Affiliate ' || n from generate_series(1, $1::int) n`,
    [affiliates],
  );
  // What an endpoint is like, from 1 on: the first is the busiest. 7 in 10 are as they should be.
  await pool.query(`
    create table bench.endpoints as
    select n, ${idOf("endpoint", "n")} as id, ${idOf("affiliate", "a")} as affiliate_id,
      case when ${random("n", 1)} < 0.3 then 'postback' else 'webhook' end as kind,
      case when n = 2 then 'open' when n = 3 then 'paused' when x < 0.02 then 'paused' when x < 0.03 then 'disabled'
        when x < 0.05 then 'open' when x < 0.08 then 'failing' when x < 0.1 then 'flaky' when x < 0.15 then 'slow'
        when x < 0.155 then 'deleted' else 'well' end as condition,
      1 + floor(10 * ${random("n", 3)})::int as answer
    from generate_series(1, ${endpoints}) n cross join lateral (select ${random("n", 2)} as x,
      case when n <= ${largest} then 1 else 2 + (n - ${largest} - 1) % ${affiliates - 1} end as a) o`);
  await pool.query("create unique index on bench.endpoints (n); analyze bench.endpoints");
  await pool.query(`
    insert into posthorn.endpoints (id, affiliate_id, kind, name, url, method, event_types, status, status_changed_at,
      status_changed_by, max_attempts, ordering, created_at, deleted_at)
    select id, affiliate_id, kind::posthorn.endpoint_kind, initcap(kind) || ' ' || n,
      'https://hooks-' || n || '.example/' || case when kind = 'webhook' then 'in' else 'pb?c={click_id}' end,
      (case when kind = 'webhook' then 'POST' else 'GET' end)::posthorn.http_method,
      case when n % 3 = 0 then array['conversion.approved', 'lead.created'] end,
      (case when condition in ('paused', 'disabled') then condition else 'active' end)::posthorn.endpoint_status,
      now() - interval '10 days', 'bench', 5,
      (case when kind = 'webhook' then 'none' else 'per_key' end)::posthorn.ordering,
      now() - interval '120 days', case when condition = 'deleted' then now() - interval '1 day' end
    from bench.endpoints order by n`);
  await pool.query(`
    insert into posthorn.endpoint_secrets (id, endpoint_id, ciphertext)
    select id, id, decode(md5(n::text), 'hex') from bench.endpoints where kind = 'webhook'`);
  await pool.query(`
    insert into posthorn.endpoint_health (endpoint_id, ready_at, in_flight, consecutive_failures, failing_attempts,
      failing_since, failing_latest, last_success_at, last_failure_at, last_failure_reason, last_failure_status,
      breaker, breaker_changed_at)
    select id,
      case when condition in ('paused', 'disabled', 'deleted') then 'infinity'
        when condition = 'open' then now() + interval '1 day' else now() - interval '1 minute' end,
      (n % 40 = 1)::int, f, f, case when f > 0 then now() - interval '6 hours' end, case when f > 0 then now() end,
      now() - interval '1 minute' * (1 + f * 60), now() - interval '5 minutes' * (1 + n % 50), 'server_error', 500,
      (case when condition = 'open' then 'open' else 'closed' end)::posthorn.breaker_state,
      case when condition = 'open' then now() - interval '1 hour' end
    from bench.endpoints cross join lateral (
      select case when condition in ('open', 'failing', 'disabled') then 5 + n % 40 else 0 end as f) failures`);
  await pool.query(`
    insert into posthorn.endpoint_percentiles (endpoint_id, refreshed_at, samples, p50_ms, p95_ms, p99_ms, slow, hour_samples,
      hour_p95_ms, week_p95_ms, week_at, slowing)
    select id, now(), 500, ms, ms * 4, ms * 9, condition = 'slow', 40, ms * 4, ms * 3.5, now(), false
    from bench.endpoints cross join lateral (
      select 30 + 300 * ${random("n", 4)} + case when condition = 'slow' then 3000 else 0 end as ms) speed`);
}
