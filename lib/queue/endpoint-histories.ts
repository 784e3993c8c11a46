import { parseIntegers, plainArray } from "#lib/db/arrays.ts";
import type { Queryable } from "#lib/db/database.ts";
import type { EndpointHistory } from "#lib/delivery/diagnosis/types.ts";
import { borneOut } from "#lib/delivery/slow.ts";
import { type RatePeriod, ratePeriodSeconds, ratePeriods } from "#lib/delivery/token-bucket.ts";

type HistoryRow = {
  id: string;
  affiliate_id: string;
  max_attempts: number;
  backoff_base_seconds: number;
  backoff_cap_seconds: number;
  timeout_ms: number;
  rate_amount: number | null;
  rate_period_seconds: number | null;
  last_success_at: Date | null;
  p95_ms: number | null;
  samples: number | null;
};
type HoursRow = { endpoint_id: string; hours: string; attempts: string; delivered: string };

/**
 * These endpoints as they are set, those that still exist, and what became of their attempts of so many days. Two
 * statements: joined in one, the hours were summed anew for every endpoint.
 */
export async function selectHistories(
  db: Queryable,
  { ids, days }: { ids: readonly string[]; days: number },
): Promise<EndpointHistory[]> {
  if (ids.length === 0) return [];
  const given = [plainArray(ids)];
  const endpoints = await db.query<HistoryRow>(
    `select e.id, e.affiliate_id, e.max_attempts, e.backoff_base_seconds, e.backoff_cap_seconds, e.timeout_ms,
       e.rate_amount, e.rate_period_seconds, g.last_success_at, p.p95_ms, p.samples
     from posthorn.endpoints e
     join posthorn.endpoint_health g on g.endpoint_id = e.id
     left join posthorn.endpoint_percentiles p on p.endpoint_id = e.id
     where e.id = any($1::uuid[]) and e.deleted_at is null`,
    given,
  );
  const past = await db.query<HoursRow>(
    `select endpoint_id, array_agg(hour)::text as hours, array_agg(attempts)::text as attempts,
       array_agg(delivered)::text as delivered
     from (
       select endpoint_id, (date_part('epoch', bucket_at) / 3600)::int as hour, sum(attempts)::int as attempts,
         sum(delivered)::int as delivered
       from posthorn.endpoint_latency
       where resolution = 'hour' and endpoint_id = any($1::uuid[])
         and bucket_at >= now() - $2 * interval '1 day'
       group by endpoint_id, bucket_at
     ) h group by endpoint_id`,
    [...given, days],
  );
  const hoursOf = new Map(past.rows.map((row) => [row.endpoint_id, toHours(row)]));
  return endpoints.rows.map((row) => toHistory(row, hoursOf.get(row.id) ?? []));
}

function toHours(row: HoursRow): EndpointHistory["hours"] {
  const attempts = parseIntegers(row.attempts);
  const delivered = parseIntegers(row.delivered);
  return parseIntegers(row.hours).map((hour, i) => ({
    atMs: hour * 3_600_000,
    attempts: attempts[i] ?? 0,
    delivered: delivered[i] ?? 0,
  }));
}

function toHistory(row: HistoryRow, hours: EndpointHistory["hours"]): EndpointHistory {
  return {
    endpointId: row.id,
    affiliateId: row.affiliate_id,
    maxAttempts: row.max_attempts,
    baseSeconds: row.backoff_base_seconds,
    capSeconds: row.backoff_cap_seconds,
    timeoutMs: row.timeout_ms,
    rateLimit:
      row.rate_amount === null ? null : { amount: row.rate_amount, per: periodOf(row.rate_period_seconds) },
    lastSuccessAtMs: row.last_success_at?.getTime() ?? null,
    p95Ms: borneOut({ valueMs: row.p95_ms, samples: row.samples ?? 0 }),
    hours,
  };
}

function periodOf(seconds: number | null): RatePeriod {
  return ratePeriods.find((period) => ratePeriodSeconds[period] === seconds) ?? "second";
}
