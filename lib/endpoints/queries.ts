import { and, desc, eq, gt, isNull, or, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import {
  affiliates,
  endpointHealth,
  endpointPercentiles,
  endpointSecrets,
  endpoints,
} from "#drizzle/schema/index.ts";
import { keyset } from "#lib/api/keyset.ts";
import type { Page } from "#lib/api/paging.ts";
import { contains } from "#lib/api/search.ts";
import type { Orm, Queryable } from "#lib/db/database.ts";
import type { EndpointStatus } from "#lib/vocabulary.ts";
import type { Endpoint, EndpointBacklog, EndpointLatency, EndpointListQuery } from "./schema.ts";

const countedTo = 10_000;

/** What may be edited, in the API's own words. */
export type EndpointSettings = Pick<
  Endpoint,
  "name" | "url" | "event_types" | "timeout_ms" | "retry" | "concurrency" | "ordering"
>;

const columns = {
  endpoint: endpoints,
  affiliate: { id: affiliates.id, key: affiliates.key, name: affiliates.name },
  health: endpointHealth,
  percentiles: {
    at: endpointPercentiles.refreshedAt,
    samples: endpointPercentiles.samples,
    p50Ms: endpointPercentiles.p50Ms,
    p95Ms: endpointPercentiles.p95Ms,
    p99Ms: endpointPercentiles.p99Ms,
    slow: endpointPercentiles.slow,
    slowing: endpointPercentiles.slowing,
  },
};
type Percentiles = Pick<
  typeof endpointPercentiles.$inferSelect,
  "samples" | "p50Ms" | "p95Ms" | "p99Ms" | "slow" | "slowing"
> & { at: Date | null };
type Row = {
  endpoint: typeof endpoints.$inferSelect;
  affiliate: { id: string; key: string; name: string };
  health: typeof endpointHealth.$inferSelect;
  percentiles: Percentiles | null;
};

/** One page of live endpoints, newest first, along endpoints_live, or endpoints_affiliate when filtered by it. */
export async function selectEndpoints(orm: Orm, query: EndpointListQuery): Promise<Page<Endpoint>> {
  const list = keyset(query, { columns: [endpoints.id], key: z.tuple([z.uuid()]), order: "descending" });
  const filters: (SQL | undefined)[] = [
    isNull(endpoints.deletedAt),
    query.q ? or(contains(endpoints.name, query.q), contains(endpoints.url, query.q)) : undefined,
    query.affiliate === undefined
      ? undefined
      : sql`${endpoints.affiliateId} = (select a.id from ${affiliates} a where a.key = ${query.affiliate} and a.deleted_at is null)`,
    query.status && eq(endpoints.status, query.status),
    query.failing === undefined
      ? undefined
      : query.failing
        ? gt(endpointHealth.consecutiveFailures, 0)
        : eq(endpointHealth.consecutiveFailures, 0),
  ];
  const rows = await joined(orm)
    .where(and(...filters, list.where))
    .orderBy(list.orderBy)
    .limit(list.fetch);
  return list.page(rows, { key: (row) => [row.endpoint.id], item: toEndpoint });
}

export async function selectEndpoint(orm: Orm, id: string): Promise<Endpoint | null> {
  const [row] = await joined(orm).where(isLive(id));
  return row ? toEndpoint(row) : null;
}

/** Locks the live endpoint's row, which every change of it takes before its health row. */
export async function lockEndpoint(
  orm: Orm,
  id: string,
): Promise<{ affiliateId: string; status: EndpointStatus; settings: EndpointSettings } | null> {
  const [row] = await orm.select().from(endpoints).where(isLive(id)).for("update");
  return row ? { affiliateId: row.affiliateId, status: row.status, settings: toSettings(row) } : null;
}

export async function insertEndpoint(
  orm: Orm,
  {
    settings,
    ...row
  }: { id: string; affiliateId: string; statusChangedBy: string; settings: EndpointSettings },
): Promise<void> {
  await orm.insert(endpoints).values({ ...row, ...toColumns(settings) });
  await orm.insert(endpointHealth).values({ endpointId: row.id });
}

export async function updateEndpointSettings(
  orm: Orm,
  id: string,
  settings: EndpointSettings,
): Promise<void> {
  await orm
    .update(endpoints)
    .set({ ...toColumns(settings), updatedAt: sql`now()` })
    .where(eq(endpoints.id, id));
}

/** Nothing more is claimed for an endpoint that is not active; one that becomes active may send at once. */
export async function updateEndpointStatus(
  orm: Orm,
  id: string,
  change: { status: EndpointStatus; by: string },
): Promise<void> {
  await orm
    .update(endpoints)
    .set({
      status: change.status,
      statusChangedAt: sql`now()`,
      statusChangedBy: change.by,
      updatedAt: sql`now()`,
    })
    .where(eq(endpoints.id, id));
  await setReady(orm, id, change.status === "active");
}

/** The worker discards what still waits for it. */
export async function markEndpointDeleted(orm: Orm, id: string): Promise<void> {
  await orm
    .update(endpoints)
    .set({ deletedAt: sql`now()`, updatedAt: sql`now()` })
    .where(eq(endpoints.id, id));
  await setReady(orm, id, false);
}

async function setReady(orm: Orm, id: string, isReady: boolean): Promise<void> {
  await orm
    .update(endpointHealth)
    .set({ readyAt: isReady ? sql`now()` : sql`'infinity'` })
    .where(eq(endpointHealth.endpointId, id));
}

export async function insertEndpointSecret(
  orm: Orm,
  row: { id: string; endpointId: string; ciphertext: Buffer },
): Promise<void> {
  await orm.insert(endpointSecrets).values(row);
}

/** The newest of the secrets that the endpoint signs with. */
export async function selectEndpointSecret(
  orm: Orm,
  endpointId: string,
): Promise<{ id: string; ciphertext: Buffer } | null> {
  const [row] = await orm
    .select({ id: endpointSecrets.id, ciphertext: endpointSecrets.ciphertext })
    .from(endpointSecrets)
    .where(eq(endpointSecrets.endpointId, endpointId))
    .orderBy(desc(endpointSecrets.createdAt), desc(endpointSecrets.id))
    .limit(1);
  return row ?? null;
}

type BacklogRow = {
  waiting: number;
  awaiting_retry: number;
  blocked: number;
  dead_letters: number;
  oldest_waiting_at: Date | null;
};

/** What waits for one endpoint, along deliveries_due and deliveries_blocked, and its dead letters. Every count stops at `countedTo`. */
export async function selectBacklog(db: Queryable, id: string): Promise<EndpointBacklog> {
  const counted = (condition: string) =>
    `(select count(*)::int from (
        select from posthorn.deliveries where endpoint_id = $1 and ${condition} limit ${countedTo}) counted)`;
  const { rows } = await db.query<BacklogRow>({
    text: `select ${counted("state = 'pending' and not blocked")} as waiting,
        ${counted("state = 'failed' and not blocked")} as awaiting_retry,
        ${counted("state in ('pending', 'failed') and blocked")} as blocked,
        ${counted("state = 'dead_letter'")} as dead_letters,
        (select next_attempt_at from posthorn.deliveries
         where endpoint_id = $1 and state in ('pending', 'failed') and not blocked and next_attempt_at <= now()
         order by next_attempt_at limit 1) as oldest_waiting_at`,
    values: [id],
  });
  const { oldest_waiting_at: oldest, ...counts } = rows[0] as BacklogRow;
  return { ...counts, oldest_waiting_at: oldest?.toISOString() ?? null, counted_to: countedTo };
}

function joined(orm: Orm) {
  return orm
    .select(columns)
    .from(endpoints)
    .innerJoin(affiliates, eq(affiliates.id, endpoints.affiliateId))
    .innerJoin(endpointHealth, eq(endpointHealth.endpointId, endpoints.id))
    .leftJoin(endpointPercentiles, eq(endpointPercentiles.endpointId, endpoints.id))
    .$dynamic();
}

function isLive(id: string): SQL | undefined {
  return and(eq(endpoints.id, id), isNull(endpoints.deletedAt));
}

function toSettings(row: typeof endpoints.$inferSelect): EndpointSettings {
  return {
    name: row.name,
    url: row.url,
    event_types: row.eventTypes,
    timeout_ms: row.timeoutMs,
    retry: {
      max_attempts: row.maxAttempts,
      base_seconds: row.backoffBaseSeconds,
      cap_seconds: row.backoffCapSeconds,
    },
    concurrency: row.concurrency,
    ordering: row.ordering,
  };
}

function toColumns(settings: EndpointSettings) {
  return {
    name: settings.name,
    url: settings.url,
    eventTypes: settings.event_types,
    timeoutMs: settings.timeout_ms,
    maxAttempts: settings.retry.max_attempts,
    backoffBaseSeconds: settings.retry.base_seconds,
    backoffCapSeconds: settings.retry.cap_seconds,
    concurrency: settings.concurrency,
    ordering: settings.ordering,
  };
}

function toLatency(row: Percentiles | null): EndpointLatency | null {
  if (!row?.at || row.p50Ms === null || row.p95Ms === null || row.p99Ms === null) return null;
  const { samples, slow, slowing } = row;
  return {
    p50_ms: row.p50Ms,
    p95_ms: row.p95Ms,
    p99_ms: row.p99Ms,
    samples,
    slow,
    slowing,
    at: row.at.toISOString(),
  };
}

function toEndpoint({ endpoint, affiliate, health, percentiles }: Row): Endpoint {
  return {
    id: endpoint.id,
    affiliate,
    kind: endpoint.kind,
    ...toSettings(endpoint),
    status: endpoint.status,
    status_changed_at: endpoint.statusChangedAt.toISOString(),
    status_changed_by: endpoint.statusChangedBy,
    health: {
      in_flight: health.inFlight,
      consecutive_failures: health.consecutiveFailures,
      last_success_at: health.lastSuccessAt?.toISOString() ?? null,
      last_failure_at: health.lastFailureAt?.toISOString() ?? null,
      last_failure_reason: health.lastFailureReason,
      last_failure_status: health.lastFailureStatus,
      latency: toLatency(percentiles),
    },
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
  };
}
