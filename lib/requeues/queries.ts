import { and, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { affiliates, endpoints, requeues } from "#drizzle/schema/index.ts";
import type { RequeueFilter } from "#drizzle/schema/operations.ts";
import type { Scope } from "#lib/affiliates/queries.ts";
import { keyset } from "#lib/api/keyset.ts";
import type { Page } from "#lib/api/paging.ts";
import type { Orm } from "#lib/db/database.ts";
import type { Reason, RequeueRefusal } from "#lib/vocabulary.ts";
import type { Requeue, RequeueDetail, RequeueListQuery } from "./schema.ts";

/** Each new one is held against all of these, so there may be no more. */
export const maxActive = 100;

const columns = {
  requeue: requeues,
  endpointName: endpoints.name,
  affiliate: { id: affiliates.id, key: affiliates.key, name: affiliates.name },
};
type Row = {
  requeue: typeof requeues.$inferSelect;
  endpointName: string | null;
  affiliate: Requeue["filter"]["affiliate"] | null;
};

function joined(orm: Orm) {
  return orm
    .select(columns)
    .from(requeues)
    .leftJoin(endpoints, sql`${endpoints.id} = (${requeues.filter} ->> 'endpoint')::uuid`)
    .leftJoin(affiliates, sql`${affiliates.id} = (${requeues.filter} ->> 'affiliateId')::uuid`)
    .$dynamic();
}

/** One page, newest first, along the primary key or requeues_affiliate. */
export async function selectRequeues(
  orm: Orm,
  query: RequeueListQuery & { scope: Scope },
): Promise<Page<Requeue>> {
  const list = keyset(query, { columns: [requeues.id], key: z.tuple([z.uuid()]), order: "descending" });
  const rows = await joined(orm)
    .where(and(query.state && eq(requeues.state, query.state), within(query.scope), list.where))
    .orderBy(list.orderBy)
    .limit(list.fetch);
  return list.page(rows, { key: ({ requeue }) => [requeue.id], item: toRequeue });
}

export async function selectRequeue(
  orm: Orm,
  { id, scope }: { id: string; scope: Scope },
): Promise<RequeueDetail | null> {
  const [row] = await joined(orm).where(and(eq(requeues.id, id), within(scope)));
  return row ? { ...toRequeue(row), sample: row.requeue.sample } : null;
}

/** What was made under a caller's own id, as it stands in the table. */
export async function selectByRequestId(
  orm: Orm,
  requestId: string,
): Promise<typeof requeues.$inferSelect | null> {
  const [row] = await orm.select().from(requeues).where(eq(requeues.requestId, requestId));
  return row ?? null;
}

/** The unfinished ones, the newest first. */
export async function selectActive(orm: Orm): Promise<(typeof requeues.$inferSelect)[]> {
  return orm
    .select()
    .from(requeues)
    .where(inArray(requeues.state, ["pending", "running"]))
    .orderBy(desc(requeues.id))
    .limit(maxActive);
}

export async function insertRequeue(orm: Orm, row: typeof requeues.$inferInsert): Promise<void> {
  await orm.insert(requeues).values(row);
}

/** Waits for a batch that is under way. Null where it had ended. */
export async function markCancelled(
  orm: Orm,
  { id, by }: { id: string; by: string },
): Promise<{ affiliateId: string | null } | null> {
  const [row] = await orm
    .update(requeues)
    .set({ state: "cancelled", cancelledBy: by, endedAt: sql`clock_timestamp()` })
    .where(and(eq(requeues.id, id), inArray(requeues.state, ["pending", "running"])))
    .returning({ affiliateId: requeues.affiliateId });
  return row ?? null;
}

function within(scope: Scope): SQL | undefined {
  return scope === null ? undefined : eq(requeues.affiliateId, scope);
}

function toRequeue({ requeue, endpointName, affiliate }: Row): Requeue {
  return {
    id: requeue.id,
    operation: requeue.operation,
    mode: requeue.mode,
    state: requeue.state,
    filter: toFilter(requeue.filter, { endpointName, affiliate }),
    as_of: requeue.asOf.toISOString(),
    rate_per_second: requeue.ratePerSecond,
    reason: requeue.reason,
    created_by: { kind: requeue.actorKind, id: requeue.actorId, name: requeue.actorName },
    created_at: requeue.createdAt.toISOString(),
    started_at: requeue.startedAt?.toISOString() ?? null,
    ended_at: requeue.endedAt?.toISOString() ?? null,
    cancelled_by: requeue.cancelledBy,
    total: requeue.total,
    done: requeue.done,
    refused: entries(requeue.refused).map(([why, count]) => ({ why, count })),
    failed: entries(requeue.failed).map(([reason, count]) => ({ reason, count })),
  };
}

function toFilter(
  { endpoint, affiliateId: _, eventType, statusClass, ...same }: RequeueFilter,
  { endpointName, affiliate }: Pick<Row, "endpointName" | "affiliate">,
): Requeue["filter"] {
  return {
    ...same,
    ...(endpoint === undefined ? {} : { endpoint: { id: endpoint, name: endpointName ?? endpoint } }),
    ...(affiliate ? { affiliate } : {}),
    ...(eventType === undefined ? {} : { event_type: eventType }),
    ...(statusClass === undefined ? {} : { status_class: statusClass }),
  };
}

/** The most frequent first. */
function entries<Key extends RequeueRefusal | Reason>(counts: Partial<Record<Key, number>>): [Key, number][] {
  return (Object.entries(counts) as [Key, number][]).sort(([, a], [, b]) => b - a);
}
