import { type AnyColumn, and, arrayContains, eq, isNull, not, or, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { affiliates, endpointHealth, endpointPercentiles, endpoints } from "#drizzle/schema/index.ts";
import { narrowedTo, type Scope } from "#lib/affiliates/queries.ts";
import { keyset } from "#lib/api/keyset.ts";
import type { Page } from "#lib/api/paging.ts";
import { contains } from "#lib/api/search.ts";
import type { BreakerStatus } from "#lib/breakers/schema.ts";
import type { Orm, Queryable } from "#lib/db/database.ts";
import type { Filter } from "#lib/delivery/filters.ts";
import type { ResponseRule } from "#lib/delivery/response-rules.ts";
import { ratePeriodSeconds, ratePeriods } from "#lib/delivery/token-bucket.ts";
import type { EndpointKind, EndpointStatus, ResumeBar } from "#lib/vocabulary.ts";
import {
  failuresInARow,
  hasBacklog,
  inView,
  isFailing,
  isMoving,
  oldestDueFirst,
  p95OrZero,
  severity,
} from "./conditions.ts";
import type { Endpoint, EndpointBacklog, EndpointLatency, EndpointListQuery, Postback } from "./schema.ts";
import type { Sealed } from "./sealed.ts";

const countedTo = 10_000;

/** What may be edited, in the API's own words. */
export type EndpointSettings = Pick<
  Endpoint,
  | "name"
  | "url"
  | "postback"
  | "event_types"
  | "filters"
  | "timeout_ms"
  | "retry"
  | "concurrency"
  | "ordering"
  | "rate_limit"
  | "response_rules"
>;

/** What may be edited too, and is never read back. */
export type EndpointSealed = { headers: Sealed; macroSecrets: Sealed };

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

const wholeNumber = z.string().regex(/^[0-9]{1,9}$/);
const milliseconds = z.string().regex(/^[0-9]{1,15}([.][0-9]{1,20})?$/);

/** By what a list is sorted, and what its cursors hold. */
const orders = {
  newest: { columns: [endpoints.id], key: z.tuple([z.uuid()]) },
  slowest: { columns: [p95OrZero, endpoints.id], key: z.tuple([milliseconds, z.uuid()]) },
  worst: {
    columns: [severity, failuresInARow, p95OrZero, endpoints.id],
    key: z.tuple([wholeNumber, wholeNumber, milliseconds, z.uuid()]),
  },
  oldest_due: {
    columns: [isMoving, oldestDueFirst, endpoints.id],
    key: z.tuple([wholeNumber, z.string().regex(/^-?[0-9]{1,17}$/), z.uuid()]),
  },
} satisfies Record<EndpointListQuery["sort"], { columns: (AnyColumn | SQL)[]; key: z.ZodType<string[]> }>;

/** What a cursor needs beside the row itself. */
const sortColumns = {
  newest: {},
  slowest: { p95: p95OrZero },
  worst: { severity, failures: failuresInARow, p95: p95OrZero },
  oldest_due: { moving: isMoving, due: oldestDueFirst },
} satisfies Record<EndpointListQuery["sort"], Record<string, SQL>>;
type Sorted = Row & { severity: number; failures: number; p95: number; moving: number; due: string };

const cursorOf = {
  newest: ({ endpoint }) => [endpoint.id],
  slowest: ({ p95, endpoint }) => [String(p95), endpoint.id],
  worst: ({ severity, failures, p95, endpoint }) => [
    String(severity),
    String(failures),
    String(p95),
    endpoint.id,
  ],
  oldest_due: ({ moving, due, endpoint }) => [String(moving), due, endpoint.id],
} satisfies Record<EndpointListQuery["sort"], (row: Sorted) => string[]>;

/**
 * One page of live endpoints: the newest first along endpoints_live, or endpoints_affiliate when filtered by it. In
 * another order it is the top of all that the filters leave: 35 ms for 10,000 endpoints.
 */
export async function selectEndpoints(
  orm: Orm,
  query: EndpointListQuery & { scope: Scope },
): Promise<Page<Endpoint>> {
  const { columns: sortedBy, key } = orders[query.sort];
  const list = keyset(query, { columns: sortedBy, key, order: "descending" });
  const affiliate = narrowedTo({ key: query.affiliate, scope: query.scope });
  const filters: (SQL | undefined)[] = [
    inView(query.view),
    query.q ? or(contains(endpoints.name, query.q), contains(endpoints.url, query.q)) : undefined,
    affiliate && sql`${endpoints.affiliateId} = ${affiliate}`,
    query.status && eq(endpoints.status, query.status),
    query.event_type === undefined
      ? undefined
      : or(isNull(endpoints.eventTypes), arrayContains(endpoints.eventTypes, [query.event_type])),
    query.waiting === undefined ? undefined : query.waiting ? hasBacklog : not(hasBacklog),
    query.failing === undefined ? undefined : query.failing ? isFailing : not(isFailing),
  ];
  const rows = await joined(orm, sortColumns[query.sort])
    .where(and(...filters, list.where))
    .orderBy(list.orderBy)
    .limit(list.fetch);
  return list.page(rows as Sorted[], { key: cursorOf[query.sort], item: toEndpoint });
}

export async function selectEndpoint(orm: Orm, id: string): Promise<Endpoint | null> {
  const [row] = await joined(orm).where(isLive(id));
  return row ? toEndpoint(row) : null;
}

export type LockedEndpoint = {
  affiliateId: string;
  status: EndpointStatus;
  resumeBar: ResumeBar | null;
  kind: EndpointKind;
  settings: EndpointSettings;
  sealed: EndpointSealed;
};

/**
 * Locks the live endpoint's row, if it is within the scope, which every change of it takes before its health row. Not "for update": the
 * history of a breaker refers to this row, and whoever writes it holds the health row already.
 */
export async function lockEndpoint(
  orm: Orm,
  { id, scope }: { id: string; scope: string | null },
): Promise<LockedEndpoint | null> {
  const own = scope === null ? undefined : eq(endpoints.affiliateId, scope);
  const [row] = await orm
    .select()
    .from(endpoints)
    .where(and(isLive(id), own))
    .for("no key update");
  if (!row) return null;
  const { affiliateId, status, kind } = row;
  const sealed = {
    headers: { names: row.headerNames, values: row.headerValues },
    macroSecrets: { names: row.macroSecretNames, values: row.macroSecretValues },
  };
  return { affiliateId, status, resumeBar: toResumeBar(row), kind, settings: toSettings(row), sealed };
}

export async function insertEndpoint(
  orm: Orm,
  {
    settings,
    sealed,
    ...row
  }: {
    id: string;
    affiliateId: string;
    kind: EndpointKind;
    statusChangedBy: string;
    settings: EndpointSettings;
    sealed: EndpointSealed;
  },
): Promise<void> {
  await orm.insert(endpoints).values({ ...row, ...toColumns(settings), ...toSealedColumns(sealed) });
  await orm.insert(endpointHealth).values({ endpointId: row.id });
}

export async function updateEndpointSettings(
  orm: Orm,
  id: string,
  edited: { settings: EndpointSettings; sealed: EndpointSealed },
): Promise<void> {
  await orm
    .update(endpoints)
    .set({ ...toColumns(edited.settings), ...toSealedColumns(edited.sealed), updatedAt: sql`now()` })
    .where(eq(endpoints.id, id));
}

/** The next claim fills the bucket anew, by the limit that it finds. The endpoint's health is to follow. */
export async function resetBucket(orm: Orm, id: string): Promise<void> {
  await orm
    .update(endpointHealth)
    .set({ bucketLevel: null, bucketAtMs: null })
    .where(eq(endpointHealth.endpointId, id));
}

/** The endpoint's health is to follow. */
export async function updateEndpointStatus(
  orm: Orm,
  id: string,
  change: { status: EndpointStatus; by: string; byAffiliate: boolean },
): Promise<void> {
  await orm
    .update(endpoints)
    .set({
      status: change.status,
      statusChangedAt: sql`now()`,
      statusChangedBy: change.by,
      pausedByAffiliate: change.status === "paused" && change.byAffiliate,
      updatedAt: sql`now()`,
    })
    .where(eq(endpoints.id, id));
}

/** The worker discards what still waits for it. The endpoint's health is to follow. */
export async function markEndpointDeleted(orm: Orm, id: string): Promise<void> {
  await orm
    .update(endpoints)
    .set({ deletedAt: sql`now()`, updatedAt: sql`now()` })
    .where(eq(endpoints.id, id));
}

/** The live endpoints that an event type has a say in: whose template or filters it feeds. */
export async function selectContentOfSubscribers(
  orm: Orm,
  eventType: string,
): Promise<
  (Pick<EndpointSettings, "name" | "url" | "postback" | "event_types" | "filters"> & {
    id: string;
    secretNames: string[];
  })[]
> {
  const subscribed = or(isNull(endpoints.eventTypes), arrayContains(endpoints.eventTypes, [eventType]));
  const asks = or(eq(endpoints.kind, "postback"), sql`${endpoints.filters}::text <> '[]'`);
  const rows = await orm
    .select()
    .from(endpoints)
    .where(and(isNull(endpoints.deletedAt), subscribed, asks))
    .orderBy(endpoints.id);
  return rows.map((row) => ({ ...toSettings(row), id: row.id, secretNames: row.macroSecretNames }));
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

function joined(orm: Orm, extra: Record<string, SQL> = {}) {
  return orm
    .select({ ...columns, ...extra })
    .from(endpoints)
    .innerJoin(affiliates, eq(affiliates.id, endpoints.affiliateId))
    .innerJoin(endpointHealth, eq(endpointHealth.endpointId, endpoints.id))
    .leftJoin(endpointPercentiles, eq(endpointPercentiles.endpointId, endpoints.id))
    .$dynamic();
}

function isLive(id: string): SQL | undefined {
  return and(eq(endpoints.id, id), isNull(endpoints.deletedAt));
}

function toResumeBar(row: typeof endpoints.$inferSelect): ResumeBar | null {
  if (row.status === "paused" && !row.pausedByAffiliate) return "staff_paused";
  return row.status === "disabled" && row.goneUrl === row.url ? "gone" : null;
}

function toSettings(row: typeof endpoints.$inferSelect): EndpointSettings {
  return {
    name: row.name,
    url: row.url,
    postback: toPostback(row),
    event_types: row.eventTypes,
    filters: row.filters as Filter[],
    timeout_ms: row.timeoutMs,
    retry: {
      max_attempts: row.maxAttempts,
      base_seconds: row.backoffBaseSeconds,
      cap_seconds: row.backoffCapSeconds,
    },
    concurrency: row.concurrency,
    ordering: row.ordering,
    rate_limit: toRateLimit(row),
    response_rules: row.responseRules as ResponseRule[],
  };
}

function toPostback(row: typeof endpoints.$inferSelect): Postback | null {
  const { kind, method, contentType, bodyTemplate, signUrl } = row;
  return kind === "postback"
    ? { method, content_type: contentType, body: bodyTemplate, sign: signUrl }
    : null;
}

function toRateLimit(row: typeof endpoints.$inferSelect): Endpoint["rate_limit"] {
  const { rateAmount: amount, ratePeriodSeconds: seconds, rateBurst: burst } = row;
  const per = ratePeriods.find((period) => ratePeriodSeconds[period] === seconds);
  return amount === null || burst === null || per === undefined ? null : { amount, per, burst };
}

function toColumns(settings: EndpointSettings) {
  return {
    name: settings.name,
    url: settings.url,
    method: settings.postback?.method ?? ("POST" as const),
    bodyTemplate: settings.postback?.body ?? null,
    contentType: settings.postback?.content_type ?? null,
    signUrl: settings.postback?.sign ?? false,
    eventTypes: settings.event_types,
    filters: settings.filters,
    timeoutMs: settings.timeout_ms,
    maxAttempts: settings.retry.max_attempts,
    backoffBaseSeconds: settings.retry.base_seconds,
    backoffCapSeconds: settings.retry.cap_seconds,
    concurrency: settings.concurrency,
    ordering: settings.ordering,
    rateAmount: settings.rate_limit?.amount ?? null,
    ratePeriodSeconds: settings.rate_limit ? ratePeriodSeconds[settings.rate_limit.per] : null,
    rateBurst: settings.rate_limit?.burst ?? null,
    responseRules: settings.response_rules,
  };
}

function toSealedColumns({ headers, macroSecrets }: EndpointSealed) {
  return {
    headerNames: headers.names,
    headerValues: headers.values,
    macroSecretNames: macroSecrets.names,
    macroSecretValues: macroSecrets.values,
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
    headers: endpoint.headerNames.map((name) => ({ name, value: null })),
    macro_secrets: endpoint.macroSecretNames.map((name) => ({ name, value: null })),
    status: endpoint.status,
    status_changed_at: endpoint.statusChangedAt.toISOString(),
    status_changed_by: endpoint.statusChangedBy,
    resume_bar: toResumeBar(endpoint),
    health: {
      in_flight: health.inFlight,
      consecutive_failures: health.consecutiveFailures,
      last_success_at: health.lastSuccessAt?.toISOString() ?? null,
      last_failure_at: health.lastFailureAt?.toISOString() ?? null,
      last_failure_reason: health.lastFailureReason,
      last_failure_status: health.lastFailureStatus,
      failing_since: health.failingSince?.toISOString() ?? null,
      failing_attempts: health.failingAttempts,
      latency: toLatency(percentiles),
    },
    breaker: toBreakerStatus(health),
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
  };
}

function toBreakerStatus(health: typeof endpointHealth.$inferSelect): BreakerStatus {
  const dueMs = health.readyAt.getTime();
  // While it is held, or its endpoint is paused, that is infinity.
  const probes = health.breaker === "open" && Number.isFinite(dueMs);
  return {
    state: health.breaker,
    changed_at: health.breakerChangedAt?.toISOString() ?? null,
    cooldown_seconds: health.breakerCooldownSeconds,
    next_probe_at: probes ? new Date(dueMs).toISOString() : null,
    held_by: health.breakerHeldBy,
    ramp: health.ramp,
  };
}
