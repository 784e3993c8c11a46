import type { Queryable } from "#lib/db/database.ts";

export type PublishItem = {
  /** Made by the database when null. */
  id: string | null;
  type: string;
  /** The operator's own key of the affiliate. */
  affiliate: string;
  /** ISO 8601; null for the time of acceptance. */
  occurredAt: string | null;
  orderingKey: string | null;
  data: Buffer;
};

export type PublishResult = {
  id: string;
  outcome: "accepted" | "duplicate" | "conflict" | "unknown_type" | "unknown_affiliate" | "type_changed";
};

/**
 * Accepts up to a thousand events in one statement (posthorn.accept_events in the migrations, which the SQL
 * function posthorn.publish shares). Returns one result per item, in order. Nothing of a refused item is kept.
 * `typeVersions`: for each item the version of its type that its data have been held against (loadEventTypeRules). If
 * one is another by now, nothing is accepted and every outcome is `type_changed`. Without one the fan-out checks.
 */
export async function publishEvents(
  db: Queryable,
  items: PublishItem[],
  { typeVersions = null }: { typeVersions?: (string | null)[] | null } = {},
): Promise<PublishResult[]> {
  const { rows } = await db.query<{ event_id: string; outcome: PublishResult["outcome"] }>({
    name: "publish",
    text: `select event_id, outcome from posthorn.accept_events(
      $1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::bytea[], $7::text[]) order by place`,
    values: [
      items.map((item) => item.id),
      items.map((item) => item.type),
      items.map((item) => item.affiliate),
      items.map((item) => item.occurredAt),
      items.map((item) => item.orderingKey),
      items.map((item) => item.data),
      typeVersions,
    ],
  });
  return rows.map((row) => ({ id: row.event_id, outcome: row.outcome }));
}
