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
  outcome: "accepted" | "duplicate" | "conflict" | "unknown_type" | "unknown_affiliate";
};

/**
 * Accepts up to a thousand events in one statement (posthorn.accept_events in the migrations, which the SQL
 * function posthorn.publish shares). Returns one result per item, in order. Nothing of a refused item is kept.
 * `checked`: their data have been held against the catalogue; otherwise the fan-out does that.
 */
export async function publishEvents(
  db: Queryable,
  items: PublishItem[],
  { checked = false }: { checked?: boolean } = {},
): Promise<PublishResult[]> {
  const { rows } = await db.query<{ event_id: string; outcome: PublishResult["outcome"] }>({
    name: "publish",
    text: `select event_id, outcome from posthorn.accept_events(
      $1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::bytea[], $7) order by place`,
    values: [
      items.map((item) => item.id),
      items.map((item) => item.type),
      items.map((item) => item.affiliate),
      items.map((item) => item.occurredAt),
      items.map((item) => item.orderingKey),
      items.map((item) => item.data),
      checked,
    ],
  });
  return rows.map((row) => ({ id: row.event_id, outcome: row.outcome }));
}
