import { eq, inArray, sql } from "drizzle-orm";
import { z } from "zod";
import { affiliates, deliveries, endpointHealth, endpoints } from "#drizzle/schema/index.ts";
import { keyset } from "#lib/api/keyset.ts";
import type { Page, PageQuery } from "#lib/api/paging.ts";
import type { Orm, Queryable } from "#lib/db/database.ts";
import { headerPairs } from "#lib/delivery/header-value.ts";
import { redirectTarget } from "#lib/delivery/redirect-target.ts";
import { retryAfterOf } from "#lib/delivery/retry-after.ts";
import type { TemplateSource } from "#lib/delivery/template/types.ts";
import type { AttemptOutcome, BreakerState, Reason } from "#lib/vocabulary.ts";
import { type DeliveryMatch, matchingIds, prepareMatch } from "./matching.ts";
import { type Attempt, type Delivery, type DeliveryNeighbours, deliveryId } from "./schema.ts";

const maxAttemptsShown = 200;

const columns = {
  delivery: deliveries,
  affiliate: { id: affiliates.id, key: affiliates.key, name: affiliates.name },
  endpoint: {
    id: endpoints.id,
    name: endpoints.name,
    kind: endpoints.kind,
    url: endpoints.url,
    status: endpoints.status,
    maxAttempts: endpoints.maxAttempts,
    deletedAt: endpoints.deletedAt,
    breaker: endpointHealth.breaker,
    /** Null where nobody can say when it is ready. */
    readyAt: sql<Date | null>`nullif(greatest(${endpointHealth.readyAt}, 'epoch'), 'infinity')`.mapWith(
      endpointHealth.readyAt,
    ),
  },
};
type Row = {
  delivery: typeof deliveries.$inferSelect;
  affiliate: Delivery["affiliate"];
  endpoint: Pick<
    typeof endpoints.$inferSelect,
    "id" | "name" | "kind" | "url" | "status" | "maxAttempts" | "deletedAt"
  > & { breaker: BreakerState; readyAt: Date | null };
};

export type DeliveryQuery = PageQuery & DeliveryMatch;

/** One page, newest first. */
export async function selectDeliveries(orm: Orm, query: DeliveryQuery): Promise<Page<Delivery>> {
  const match = await prepareMatch(orm, query);
  const paging = { key: z.tuple([deliveryId]), order: "descending" } as const;
  const list = keyset(query, { columns: [sql`d.id`], ...paging });
  const ids = matchingIds(match, { where: list.where, orderBy: list.orderBy, limit: list.fetch });
  const rows = await joined(orm)
    .where(sql`${deliveries.id} = any(array(${ids}))`)
    .orderBy(keyset(query, { columns: [deliveries.id], ...paging }).orderBy);
  return list.page(rows, { key: (row) => [String(row.delivery.id)], item: toDelivery });
}

/** How many match, up to `most`. */
export async function countDeliveries(orm: Orm, query: DeliveryMatch, most: number): Promise<number> {
  const ids = matchingIds(await prepareMatch(orm, query), { limit: most });
  const { rows } = await orm.execute<{ n: number }>(sql`select count(*)::int as n from (${ids}) found`);
  return rows[0]?.n ?? 0;
}

/** Those that stand beside this one, which need not match itself, in the list of what matches. */
export async function selectNeighbours(
  orm: Orm,
  id: string,
  query: DeliveryMatch,
): Promise<DeliveryNeighbours> {
  const match = await prepareMatch(orm, query);
  const newer = matchingIds(match, { where: sql`d.id > ${id}::bigint`, orderBy: sql`d.id asc`, limit: 1 });
  const older = matchingIds(match, { where: sql`d.id < ${id}::bigint`, orderBy: sql`d.id desc`, limit: 1 });
  const { rows } = await orm.execute<DeliveryNeighbours>(
    sql`select (${newer})::text as previous, (${older})::text as next`,
  );
  return rows[0] ?? { previous: null, next: null };
}

export async function selectDelivery(orm: Orm, id: string): Promise<Delivery | null> {
  const [row] = await joined(orm).where(eq(deliveries.id, BigInt(id)));
  return row ? toDelivery(row) : null;
}

/** The deliveries with these ids, in no order. */
export async function selectDeliveriesById(orm: Orm, ids: readonly bigint[]): Promise<Delivery[]> {
  if (ids.length === 0) return [];
  return (await joined(orm).where(inArray(deliveries.id, [...ids]))).map(toDelivery);
}

/** What a delivery sends, as far as it is kept. */
export type DeliveryContent = {
  occurredAt: Date;
  /** The event's data; null once their retention has ended. */
  data: Buffer | null;
  /** A postback's frozen request. */
  frozen: TemplateSource | null;
};

/** Null without a delivery. */
export async function selectDeliveryContent(db: Queryable, id: string): Promise<DeliveryContent | null> {
  const { rows } = await db.query<Omit<DeliveryContent, "frozen"> & { frozen: Nullable<TemplateSource> }>({
    text: `select coalesce(b.occurred_at, v.occurred_at, d.event_received_at) as "occurredAt", b.data,
        json_build_object('method', r.method, 'url', r.url, 'contentType', r.content_type, 'body', r.body) as frozen
      from posthorn.deliveries d
      left join posthorn.events v on v.id = d.event_id and v.received_at = d.event_received_at
      left join posthorn.event_bodies b on b.event_id = d.event_id and b.received_at = d.event_received_at
      left join posthorn.delivery_requests r on r.delivery_id = d.id and r.received_at = d.event_received_at
      where d.id = $1`,
    values: [id],
  });
  const [row] = rows;
  if (!row) return null;
  const { method, url, contentType, body } = row.frozen;
  return { ...row, frozen: method !== null && url !== null ? { method, url, contentType, body } : null };
}

type Nullable<T> = { [K in keyof T]: T[K] | null };

type AttemptRow = {
  number: number;
  started_at: Date;
  outcome: AttemptOutcome;
  reason: Reason | null;
  status: number | null;
  error_code: string | null;
  dns_ms: number | null;
  connect_ms: number | null;
  tls_ms: number | null;
  first_byte_ms: number | null;
  duration_ms: number | null;
  late: boolean;
  worker_id: string | null;
  url: string | null;
  headers: string | null;
  body: Buffer | null;
  body_truncated: boolean | null;
};

/** The latest attempts, oldest first. None is older than its delivery (and a day, for clocks), which spares partitions. */
export async function selectAttempts(
  db: Queryable,
  delivery: Pick<Delivery, "id" | "created_at">,
): Promise<Attempt[]> {
  const { rows } = await db.query<AttemptRow>({
    text: `select a.number, a.started_at, a.outcome, a.reason, a.status, a.error_code, a.dns_ms, a.connect_ms, a.tls_ms,
        a.first_byte_ms, a.duration_ms, a.late, a.worker_id, r.url, r.headers, r.body, r.body_truncated
      from posthorn.delivery_attempts a
      left join posthorn.attempt_responses r
        on r.delivery_id = a.delivery_id and r.number = a.number and r.started_at = a.started_at
      where a.delivery_id = $1 and a.started_at >= $2::timestamptz - interval '1 day'
      order by a.number desc, a.started_at desc limit ${maxAttemptsShown}`,
    values: [delivery.id, delivery.created_at],
  });
  return rows.reverse().map(toAttempt);
}

function joined(orm: Orm) {
  return orm
    .select(columns)
    .from(deliveries)
    .innerJoin(affiliates, eq(affiliates.id, deliveries.affiliateId))
    .innerJoin(endpoints, eq(endpoints.id, deliveries.endpointId))
    .innerJoin(endpointHealth, eq(endpointHealth.endpointId, deliveries.endpointId))
    .$dynamic();
}

function toDelivery({ delivery, affiliate, endpoint }: Row): Delivery {
  const isWaiting = delivery.state === "pending" || delivery.state === "failed";
  const isHeld = isWaiting && endpoint.deletedAt === null && endpoint.status !== "active";
  const isBlocked = isWaiting && delivery.blocked;
  const moves = isWaiting && !isHeld && !isBlocked && endpoint.deletedAt === null;
  // Neither before its own time nor before its endpoint's: a cooldown, a pause that was asked for, the next token.
  const nextAttemptAt =
    moves && endpoint.readyAt && endpoint.readyAt > delivery.nextAttemptAt
      ? endpoint.readyAt
      : delivery.nextAttemptAt;
  return {
    id: String(delivery.id),
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    affiliate,
    endpoint: {
      id: endpoint.id,
      name: endpoint.name,
      kind: endpoint.kind,
      url: endpoint.url,
      status: endpoint.deletedAt === null ? endpoint.status : "deleted",
    },
    state: delivery.state,
    reason: delivery.reason,
    held: isHeld,
    blocked: isBlocked,
    attempt_number: delivery.attemptNumber,
    attempts_charged: delivery.attemptsCharged,
    max_attempts: endpoint.maxAttempts,
    behind_breaker: moves && endpoint.breaker !== "closed",
    next_attempt_at: moves && endpoint.readyAt ? nextAttemptAt.toISOString() : null,
    last_status: delivery.lastStatus,
    last_attempt_at: delivery.lastAttemptAt?.toISOString() ?? null,
    last_duration_ms: delivery.lastDurationMs,
    created_at: delivery.createdAt.toISOString(),
    delivered_at: delivery.deliveredAt?.toISOString() ?? null,
    ended_at: delivery.endedAt?.toISOString() ?? null,
  };
}

function toAttempt({ url, headers, body, body_truncated, ...row }: AttemptRow): Attempt {
  const answered: string[] | null = headers === null ? null : JSON.parse(headers);
  return {
    ...row,
    started_at: row.started_at.toISOString(),
    request_url: url,
    response_headers: answered && headerPairs(answered),
    response_body: body?.toString("utf8") ?? null,
    response_body_truncated: body_truncated ?? false,
    redirect_to:
      answered && row.status !== null && url !== null
        ? redirectTarget({ status: row.status, headers: answered, url })
        : null,
    retry_after: answered && askedToWait(row, answered),
  };
}

/** What its settlement followed, read again from what was answered. */
function askedToWait(
  { status, started_at, duration_ms }: Pick<AttemptRow, "status" | "started_at" | "duration_ms">,
  headers: string[],
): Attempt["retry_after"] {
  if (status === null) return null;
  const asked = retryAfterOf({ status, headers }, started_at.getTime() + (duration_ms ?? 0));
  return asked && { delay_seconds: Math.round(asked.delayMs / 1_000), capped: asked.capped };
}

/** How many deliveries an affiliate's users have resent in the last hour, and when the first of them leaves the hour. */
export async function selectResendsOfAffiliate(
  db: Queryable,
  affiliateId: string,
): Promise<{ count: number; nextInSeconds: number }> {
  const { rows } = await db.query<{ count: number; next_in: number | null }>({
    text: `select count(*)::int as count,
        ceil(extract(epoch from min(at) + interval '1 hour' - now()))::int as next_in
      from posthorn.audit_log
      where action = 'delivery.resend' and actor_kind = 'user' and at > now() - interval '1 hour'
        and actor_id in (select id::text from posthorn.users where affiliate_id = $1
          union all select id::text from posthorn.portal_links where affiliate_id = $1)`,
    values: [affiliateId],
  });
  return { count: rows[0]?.count ?? 0, nextInSeconds: Math.max(1, rows[0]?.next_in ?? 1) };
}
