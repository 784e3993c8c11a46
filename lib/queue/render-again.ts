import type pg from "pg";
import { plainArray, textArray } from "#lib/db/arrays.ts";
import { checkData, readFields } from "#lib/delivery/catalogue.ts";
import type { Reason } from "#lib/vocabulary.ts";
import { loadData, loadedAtOnce } from "./event-data.ts";
import { loadEventTypeRules } from "./event-type-rules.ts";
import { lockKeys } from "./ordering.ts";
import { type Subscriber, templateOf } from "./planning.ts";
import { type FrozenRequest, type Rendering, renderPostback } from "./rendering.ts";

export type RenderAgainResult =
  | { outcome: "rendered" | "not_found" | "not_a_postback" | "body_purged" }
  | { outcome: "cannot_render"; reason: Reason };

type Row = Pick<Subscriber, "kind" | "method" | "url" | "body_template" | "content_type"> & {
  id: string;
  event_id: string;
  received_at: Date;
  type: string;
  affiliate_id: string;
};

const rowColumns = `d.id, d.event_id, d.event_received_at as received_at, d.event_type as type, d.affiliate_id,
  e.kind, e.method, e.url, e.body_template, e.content_type`;

/**
 * Freezes a postback's request anew, by its endpoint's template as it is now. Changes nothing else of the delivery, so
 * run it in the transaction that puts it back, which may yet refuse.
 */
export async function renderAgain(client: pg.ClientBase, id: string): Promise<RenderAgainResult> {
  return (await renderManyAgain(client, [id])).get(id) ?? { outcome: "not_found" };
}

/** The same for many, whose data are in memory a hundred at a time. What is not there is not among the results. */
export async function renderManyAgain(
  client: pg.ClientBase,
  ids: readonly string[],
): Promise<Map<string, RenderAgainResult>> {
  const results = new Map<string, RenderAgainResult>();
  if (ids.length === 0) return results;
  // In the order in which everybody takes them: health, delivery, then its request.
  await lockKeys(client, ids);
  const { rows } = await client.query<Row>({
    text: `select ${rowColumns}
      from posthorn.deliveries d join posthorn.endpoints e on e.id = d.endpoint_id
      where d.id = any($1::bigint[]) order by d.id for update of d`,
    values: [plainArray(ids)],
  });
  const postbacks = rows.filter((row) => row.kind === "postback");
  for (const row of rows) if (row.kind !== "postback") results.set(row.id, { outcome: "not_a_postback" });
  for (let from = 0; from < postbacks.length; from += loadedAtOnce) {
    const some = postbacks.slice(from, from + loadedAtOnce);
    const frozen: { row: Row; request: FrozenRequest }[] = [];
    for (const [i, rendering] of (await render(client, some)).entries()) {
      const row = some[i] as Row;
      if (rendering?.request) frozen.push({ row, request: rendering.request });
      results.set(row.id, resultOf(rendering));
    }
    await freeze(client, frozen);
  }
  return results;
}

/** Which of these postbacks the templates, as they are now, have nothing for, and why. Keeps and locks nothing. */
export async function whyNotRendered(
  client: pg.ClientBase,
  ids: readonly string[],
): Promise<Map<string, Reason>> {
  const reasons = new Map<string, Reason>();
  for (let from = 0; from < ids.length; from += loadedAtOnce) {
    const { rows } = await client.query<Row>({
      name: "rendered_for_nothing",
      text: `select ${rowColumns}
        from posthorn.deliveries d join posthorn.endpoints e on e.id = d.endpoint_id where d.id = any($1::bigint[])`,
      values: [plainArray(ids.slice(from, from + loadedAtOnce))],
    });
    for (const [i, rendering] of (await render(client, rows)).entries())
      if (rendering?.end) reasons.set((rows[i] as Row).id, rendering.end.reason);
  }
  return reasons;
}

function resultOf(rendering: Rendering | null): RenderAgainResult {
  if (!rendering) return { outcome: "body_purged" };
  return rendering.end ? { outcome: "cannot_render", reason: rendering.end.reason } : { outcome: "rendered" };
}

export type WaitingRendered = {
  rendered: number;
  /** Those that the template can do nothing with, or whose data are gone: they keep the request they have. */
  kept: number;
  /** Where to go on; null when nothing was found to wait any more. */
  next: string | null;
};

/**
 * The same for the next of those that wait for an endpoint, after delivery `after` in order of their ids. What is being
 * sent at this moment is passed by. At most 100 a call, so call it until `next` is null.
 */
export async function renderWaiting(
  client: pg.ClientBase,
  { endpointId, after }: { endpointId: string; after: string },
): Promise<WaitingRendered> {
  // Of what waits alone, along its two partial indexes: an endpoint's own deliveries may be millions.
  const waiting = (blocked: string) => `select id from posthorn.deliveries
    where endpoint_id = $1 and state in ('pending', 'failed') and ${blocked} and id > $2`;
  const { rows } = await client.query<Row>({
    name: "render_waiting",
    text: `select ${rowColumns}
      from posthorn.deliveries d join posthorn.endpoints e on e.id = d.endpoint_id
      where d.id = any(array(
          select id from (${waiting("not blocked")} union all ${waiting("blocked")}) w order by id limit ${loadedAtOnce}))
        and d.state in ('pending', 'failed')
      order by d.id for update of d skip locked`,
    values: [endpointId, after],
  });
  const renderings = await render(client, rows);
  const frozen = rows.flatMap((row, i) => {
    const request = renderings[i]?.request;
    return request ? [{ row, request }] : [];
  });
  await freeze(client, frozen);
  return { rendered: frozen.length, kept: rows.length - frozen.length, next: rows.at(-1)?.id ?? null };
}

/** Null where the event's data are gone. */
async function render(client: pg.ClientBase, rows: readonly Row[]): Promise<(Rendering | null)[]> {
  const data = await loadData(client, rows);
  const rules = await loadEventTypeRules(client, [...new Set(rows.map(({ type }) => type))]);
  return rows.map((row) => {
    const content = data.get(row.event_id);
    if (!content) return null;
    const rule = rules.get(row.type);
    if (rule?.invalidData === "refuse" && checkData(content.text, rule.fields).length > 0) {
      return { request: null, end: { state: "skipped", reason: "invalid_data" } };
    }
    return renderPostback(templateOf(row), {
      values: readFields(content.text, rule?.fields ?? []),
      event: { id: row.event_id, type: row.type, occurredAtMs: content.occurredAtMs },
      deliveryId: row.id,
      affiliateId: row.affiliate_id,
    });
  });
}

async function freeze(
  client: pg.ClientBase,
  rendered: readonly { row: Row; request: FrozenRequest }[],
): Promise<void> {
  if (rendered.length === 0) return;
  await client.query({
    text: `insert into posthorn.delivery_requests (delivery_id, received_at, method, url, content_type, body)
      select * from unnest($1::bigint[], $2::timestamptz[], $3::posthorn.http_method[], $4::text[], $5::text[], $6::text[])
      on conflict (delivery_id, received_at) do update
      set method = excluded.method, url = excluded.url, content_type = excluded.content_type, body = excluded.body`,
    values: [
      plainArray(rendered.map(({ row }) => row.id)),
      plainArray(rendered.map(({ row }) => row.received_at.toISOString())),
      plainArray(rendered.map(({ request }) => request.method)),
      textArray(rendered.map(({ request }) => request.url)),
      textArray(rendered.map(({ request }) => request.contentType)),
      textArray(rendered.map(({ request }) => request.body)),
    ],
  });
}
