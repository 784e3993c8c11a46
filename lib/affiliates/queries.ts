import { and, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { affiliates, endpointHealth, endpointPercentiles, endpoints, events } from "#drizzle/schema/index.ts";
import { keyset } from "#lib/api/keyset.ts";
import { capCount, type Page } from "#lib/api/paging.ts";
import { contains } from "#lib/api/search.ts";
import { plainArray } from "#lib/db/arrays.ts";
import type { Orm } from "#lib/db/database.ts";
import { inView } from "#lib/endpoints/conditions.ts";
import type { Affiliate, AffiliateActivity, AffiliateListQuery } from "./schema.ts";

const maxCounted = 10_000;
/** A page's counts touch at most 25,000 rows. */
const maxEvents = 500;

/** Over endpoints_affiliate. The raw names keep the sub-select's columns apart from the outer row's. */
const endpointCount = sql<number>`(select count(*)::int from (
  select 1 from ${endpoints} e where e.affiliate_id = ${affiliates}.id and e.deleted_at is null limit ${sql.raw(String(maxCounted))}) counted)`;

const columns = {
  id: affiliates.id,
  key: affiliates.key,
  name: affiliates.name,
  createdAt: affiliates.createdAt,
  updatedAt: affiliates.updatedAt,
  endpointCount,
};
type Row = { id: string; key: string; name: string; createdAt: Date; updatedAt: Date; endpointCount: number };

/** Only what belongs to this affiliate; null for everything. */
export type Scope = string | null;

/**
 * The id of the affiliate that a list is narrowed to, as a sub-select: the live one with this key, within the scope.
 * Undefined when nothing narrows it.
 */
export function narrowedTo({ key, scope }: { key: string | undefined; scope: Scope }): SQL | undefined {
  if (key === undefined) return scope === null ? undefined : sql`${scope}::uuid`;
  const within = scope === null ? sql`` : sql` and a.id = ${scope}`;
  return sql`(select a.id from ${affiliates} a where a.key = ${key} and a.deleted_at is null${within})`;
}

/** One page, newest first, along the primary key. */
export async function selectAffiliates(
  orm: Orm,
  query: AffiliateListQuery & { scope: Scope },
): Promise<Page<Affiliate>> {
  const list = keyset(query, { columns: [affiliates.id], key: z.tuple([z.uuid()]), order: "descending" });
  const search = query.q
    ? or(contains(affiliates.key, query.q), contains(affiliates.name, query.q))
    : undefined;
  const scope = query.scope === null ? undefined : eq(affiliates.id, query.scope);
  const rows = await orm
    .select(columns)
    .from(affiliates)
    .where(and(isNull(affiliates.deletedAt), scope, search, list.where))
    .orderBy(list.orderBy)
    .limit(list.fetch);
  return list.page(rows, { key: (row) => [row.id], item: toAffiliate });
}

/** The live affiliate with this key. */
export async function selectAffiliate(orm: Orm, key: string): Promise<Affiliate | null> {
  const [row] = await orm.select(columns).from(affiliates).where(isLive(key));
  return row ? toAffiliate(row) : null;
}

/**
 * Locks the live affiliate with this key: `share` so that it stays while an endpoint is made for it, `update`
 * to change it.
 */
export async function lockAffiliate(
  orm: Orm,
  key: string,
  strength: "share" | "update",
): Promise<{ id: string; key: string; name: string } | null> {
  const [row] = await orm
    .select({ id: affiliates.id, key: affiliates.key, name: affiliates.name })
    .from(affiliates)
    .where(isLive(key))
    .for(strength);
  return row ?? null;
}

export async function insertAffiliate(
  orm: Orm,
  row: { id: string; key: string; name: string },
): Promise<void> {
  await orm.insert(affiliates).values(row);
}

export async function updateAffiliate(
  orm: Orm,
  id: string,
  values: { key: string; name: string },
): Promise<void> {
  await orm
    .update(affiliates)
    .set({ ...values, updatedAt: sql`now()` })
    .where(eq(affiliates.id, id));
}

export async function markAffiliateDeleted(orm: Orm, id: string): Promise<void> {
  await orm
    .update(affiliates)
    .set({ deletedAt: sql`now()`, updatedAt: sql`now()` })
    .where(eq(affiliates.id, id));
}

export async function hasEndpoints(orm: Orm, affiliateId: string): Promise<boolean> {
  const rows = await orm
    .select({ id: endpoints.id })
    .from(endpoints)
    .where(and(eq(endpoints.affiliateId, affiliateId), isNull(endpoints.deletedAt)))
    .limit(1);
  return rows.length > 0;
}

type ActivityRow = { id: string; failing: number; events: number };

/**
 * What these affiliates' endpoints and last 24 hours are like, by id: along endpoints_affiliate and events_affiliate,
 * and no further than `maxEvents` of each.
 */
export async function selectActivity(
  orm: Orm,
  ids: readonly string[],
): Promise<Map<string, AffiliateActivity>> {
  const failing = sql`select count(*)::int from ${endpoints} inner join ${endpointHealth}
    on ${endpointHealth.endpointId} = ${endpoints.id} left join ${endpointPercentiles}
    on ${endpointPercentiles.endpointId} = ${endpoints.id} where ${endpoints.affiliateId} = i.id and ${inView("failing")}`;
  const recent = sql`select from ${events} v where v.affiliate_id = i.id
    and v.received_at >= now() - interval '24 hours' limit ${sql.raw(String(maxEvents + 1))}`;
  const { rows } = await orm.execute<ActivityRow>(sql`
    select i.id, (${failing}) as failing, (select count(*)::int from (${recent}) recent) as events
    from unnest(${plainArray(ids)}::uuid[]) i (id)`);
  return new Map(
    rows.map(({ id, failing, events }) => [
      id,
      { failing_endpoints: failing, events_last_day: capCount(events, maxEvents) },
    ]),
  );
}

function isLive(key: string): SQL | undefined {
  return and(eq(affiliates.key, key), isNull(affiliates.deletedAt));
}

function toAffiliate(row: Row): Affiliate {
  return {
    id: row.id,
    key: row.key,
    name: row.name,
    endpoint_count: row.endpointCount,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
