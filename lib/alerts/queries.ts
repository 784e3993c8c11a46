import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { affiliates, alerts, endpoints } from "#drizzle/schema/index.ts";
import { narrowedTo, type Scope } from "#lib/affiliates/queries.ts";
import { keyset } from "#lib/api/keyset.ts";
import type { Page } from "#lib/api/paging.ts";
import type { Orm } from "#lib/db/database.ts";
import { type Alert, type AlertListQuery, alertId } from "./schema.ts";

const openShown = 200;

const columns = {
  alert: alerts,
  affiliate: { id: affiliates.id, key: affiliates.key, name: affiliates.name },
  endpoint: {
    id: endpoints.id,
    name: endpoints.name,
    status: endpoints.status,
    deletedAt: endpoints.deletedAt,
  },
};
type Row = {
  alert: typeof alerts.$inferSelect;
  affiliate: Alert["affiliate"];
  endpoint: Pick<typeof endpoints.$inferSelect, "id" | "name" | "status" | "deletedAt"> | null;
};

/** One page, the open ones first, then the newest. */
export async function selectAlerts(orm: Orm, query: AlertListQuery & { scope: Scope }): Promise<Page<Alert>> {
  const list = keyset(query, {
    columns: [sql`(${alerts.state} = 'open')`, alerts.id],
    key: z.tuple([z.enum(["true", "false"]), alertId]),
    order: "descending",
  });
  const rows = await joined(orm)
    .where(
      and(
        query.state && eq(alerts.state, query.state),
        query.kind && eq(alerts.kind, query.kind),
        ...narrowing(query),
        list.where,
      ),
    )
    .orderBy(list.orderBy)
    .limit(list.fetch);
  return list.page(rows, {
    key: ({ alert }) => [String(alert.state === "open"), String(alert.id)],
    item: toAlert,
  });
}

/** What is open, the most letters first; at most 200, and how many there are. */
export async function selectOpenAlerts(
  orm: Orm,
  query: Pick<AlertListQuery, "endpoint" | "affiliate"> & { scope: Scope },
): Promise<{ data: Alert[]; count: number }> {
  const where = and(eq(alerts.state, "open"), ...narrowing(query));
  const [rows, count] = await Promise.all([
    joined(orm).where(where).orderBy(desc(alerts.count), desc(alerts.id)).limit(openShown),
    orm.$count(alerts, where),
  ]);
  return { data: rows.map(toAlert), count };
}

/** How many are open, along alerts_open: a literal, so that the partial index applies to any plan. */
export function countOpenAlerts(orm: Orm): Promise<number> {
  return orm.$count(alerts, sql`${alerts.state} = 'open'`);
}

export async function selectAlert(orm: Orm, id: string): Promise<Alert | null> {
  const [row] = await joined(orm).where(eq(alerts.id, BigInt(id)));
  return row ? toAlert(row) : null;
}

function narrowing(query: {
  endpoint?: string | undefined;
  affiliate?: string | undefined;
  scope: Scope;
}): (SQL | undefined)[] {
  const affiliate = narrowedTo({ key: query.affiliate, scope: query.scope });
  return [
    query.endpoint === undefined ? undefined : eq(alerts.endpointId, query.endpoint),
    affiliate && sql`${alerts.affiliateId} = ${affiliate}`,
  ];
}

function joined(orm: Orm) {
  return orm
    .select(columns)
    .from(alerts)
    .innerJoin(affiliates, eq(affiliates.id, alerts.affiliateId))
    .leftJoin(endpoints, eq(endpoints.id, alerts.endpointId))
    .$dynamic();
}

function toAlert({ alert, affiliate, endpoint }: Row): Alert {
  const stored = alert.finding as Pick<Alert, "evidence" | "sentence" | "remedy" | "actions">;
  return {
    id: String(alert.id),
    state: alert.state,
    kind: alert.kind,
    affiliate,
    endpoint: endpoint && {
      id: endpoint.id,
      name: endpoint.name,
      status: endpoint.deletedAt === null ? endpoint.status : "deleted",
    },
    event_type: alert.eventType,
    event_id: alert.eventId,
    reason: alert.reason,
    evidence: stored.evidence,
    sentence: stored.sentence,
    remedy: stored.remedy,
    actions: stored.actions,
    first_seen_at: alert.firstSeenAt.toISOString(),
    last_seen_at: alert.lastSeenAt.toISOString(),
    ended_at: alert.endedAt?.toISOString() ?? null,
  };
}
