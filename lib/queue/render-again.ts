import type pg from "pg";
import { readFields } from "#lib/delivery/catalogue.ts";
import type { Reason } from "#lib/vocabulary.ts";
import { loadData } from "./event-data.ts";
import { loadEventTypeRules } from "./event-type-rules.ts";
import { type Subscriber, templateOf } from "./planning.ts";
import { renderPostback } from "./rendering.ts";

export type RenderAgainResult =
  | { outcome: "rendered" | "not_found" | "not_a_postback" | "body_purged" }
  | { outcome: "cannot_render"; reason: Reason };

type Row = Pick<Subscriber, "kind" | "method" | "url" | "body_template" | "content_type"> & {
  event_id: string;
  received_at: Date;
  event_type: string;
  affiliate_id: string;
};

/**
 * Freezes a postback's request anew, by its endpoint's template as it is now. Changes nothing else of the delivery, so
 * run it in the transaction that puts it back, which may yet refuse.
 */
export async function renderAgain(client: pg.ClientBase, id: string): Promise<RenderAgainResult> {
  const { rows } = await client.query<Row>({
    text: `select d.event_id, d.event_received_at as received_at, d.event_type, d.affiliate_id,
        e.kind, e.method, e.url, e.body_template, e.content_type
      from posthorn.deliveries d join posthorn.endpoints e on e.id = d.endpoint_id where d.id = $1`,
    values: [id],
  });
  const [row] = rows;
  if (!row) return { outcome: "not_found" };
  if (row.kind !== "postback") return { outcome: "not_a_postback" };
  const data = (await loadData(client, [row])).get(row.event_id);
  if (!data) return { outcome: "body_purged" };
  const fields = (await loadEventTypeRules(client, [row.event_type])).get(row.event_type)?.fields ?? [];
  const { request, end } = renderPostback(templateOf(row), {
    values: readFields(data.text, fields),
    event: { id: row.event_id, type: row.event_type, occurredAtMs: data.occurredAtMs },
    deliveryId: id,
    affiliateId: row.affiliate_id,
  });
  if (end) return { outcome: "cannot_render", reason: end.reason };
  await client.query({
    text: `insert into posthorn.delivery_requests (delivery_id, received_at, method, url, content_type, body)
      values ($1, $2, $3, $4, $5, $6)
      on conflict (delivery_id, received_at) do update
      set method = excluded.method, url = excluded.url, content_type = excluded.content_type, body = excluded.body`,
    values: [id, row.received_at, request.method, request.url, request.contentType, request.body],
  });
  return { outcome: "rendered" };
}
