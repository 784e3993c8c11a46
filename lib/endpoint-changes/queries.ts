import { and, desc, eq, or, sql } from "drizzle-orm";
import { z } from "zod";
import { affiliates, endpointChanges, endpoints } from "#drizzle/schema/index.ts";
import { keyset } from "#lib/api/keyset.ts";
import type { Page } from "#lib/api/paging.ts";
import type { Orm } from "#lib/db/database.ts";
import type { EndpointChangeState } from "#lib/vocabulary.ts";
import type { ChangeListQuery, EndpointChange, QueuedChange } from "./schema.ts";

/** So long an endpoint's page tells what became of a change. */
const shownDays = 7;

type Row = typeof endpointChanges.$inferSelect;

/** One page for the operators, newest first. */
export async function selectChanges(orm: Orm, query: ChangeListQuery): Promise<Page<QueuedChange>> {
  const list = keyset(query, {
    columns: [endpointChanges.id],
    key: z.tuple([z.uuid()]),
    order: "descending",
  });
  const state = query.view === "waiting" ? sql`= 'pending'` : sql`<> 'pending'`;
  const rows = await orm
    .select({
      change: endpointChanges,
      endpoint: { id: endpoints.id, name: endpoints.name },
      affiliate: { id: affiliates.id, key: affiliates.key, name: affiliates.name },
    })
    .from(endpointChanges)
    .innerJoin(endpoints, eq(endpoints.id, endpointChanges.endpointId))
    .innerJoin(affiliates, eq(affiliates.id, endpointChanges.affiliateId))
    .where(and(sql`${endpointChanges.state} ${state}`, sql`${endpoints.deletedAt} is null`, list.where))
    .orderBy(list.orderBy)
    .limit(list.fetch);
  return list.page(rows, {
    key: ({ change }) => [change.id],
    item: ({ change, endpoint, affiliate }) => ({ ...toChange(change), endpoint, affiliate }),
  });
}

/** The endpoint's latest change, while it waits and for some days after it was decided; null without one. */
export async function selectLatestChange(orm: Orm, endpointId: string): Promise<EndpointChange | null> {
  const [row] = await orm
    .select()
    .from(endpointChanges)
    .where(
      and(
        eq(endpointChanges.endpointId, endpointId),
        or(
          eq(endpointChanges.state, "pending"),
          sql`${endpointChanges.decidedAt} > now() - ${shownDays} * interval '1 day'`,
        ),
      ),
    )
    .orderBy(desc(endpointChanges.id))
    .limit(1);
  return row ? toChange(row) : null;
}

/** Whose endpoint a change is for; null when there is none. The endpoint is to be locked before the change. */
export async function selectChangePlace(
  orm: Orm,
  id: string,
): Promise<{ endpointId: string; affiliateId: string } | null> {
  const [row] = await orm
    .select({ endpointId: endpointChanges.endpointId, affiliateId: endpointChanges.affiliateId })
    .from(endpointChanges)
    .where(eq(endpointChanges.id, id));
  return row ?? null;
}

/** Locked, so that one of several decisions holds. */
export async function lockChange(orm: Orm, id: string): Promise<Row | null> {
  const [row] = await orm.select().from(endpointChanges).where(eq(endpointChanges.id, id)).for("update");
  return row ?? null;
}

/** Stores a change in place of one that still waits. */
export async function insertChange(
  orm: Orm,
  change: {
    id: string;
    endpointId: string;
    affiliateId: string;
    fromUrl: string;
    toUrl: string;
    edit: Buffer;
    requestedBy: string;
  },
): Promise<void> {
  const { endpointId, requestedBy: by } = change;
  await endPending(orm, endpointId, { state: "replaced", by });
  await orm.insert(endpointChanges).values(change);
}

type Decision = { state: Exclude<EndpointChangeState, "pending">; by: string; reason?: string };

const decided = ({ state, by, reason }: Decision) => ({
  state,
  decidedAt: sql`now()`,
  decidedBy: by,
  reason: reason ?? null,
  edit: null,
});

export async function decideChange(orm: Orm, id: string, decision: Decision): Promise<void> {
  await orm.update(endpointChanges).set(decided(decision)).where(eq(endpointChanges.id, id));
}

/** Ends what waits for an endpoint; its id, or null where nothing did. */
export async function endPending(orm: Orm, endpointId: string, decision: Decision): Promise<string | null> {
  const [row] = await orm
    .update(endpointChanges)
    .set(decided(decision))
    .where(and(eq(endpointChanges.endpointId, endpointId), eq(endpointChanges.state, "pending")))
    .returning({ id: endpointChanges.id });
  return row?.id ?? null;
}

function toChange(row: Row): EndpointChange {
  return {
    id: row.id,
    state: row.state,
    from_url: row.fromUrl,
    to_url: row.toUrl,
    requested_at: row.requestedAt.toISOString(),
    requested_by: row.requestedBy,
    decided_at: row.decidedAt?.toISOString() ?? null,
    decided_by: row.decidedBy,
    reason: row.reason,
  };
}
