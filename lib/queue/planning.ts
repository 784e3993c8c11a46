import type pg from "pg";
import { checkData, readFields } from "#lib/delivery/catalogue.ts";
import type { Filter } from "#lib/delivery/filters.ts";
import { type EventFields, route } from "#lib/delivery/route.ts";
import type { TemplateSource } from "#lib/delivery/template/types.ts";
import { maxSearchableLength } from "#lib/search/limits.ts";
import type { EndpointKind, HttpMethod, Ordering, PostbackContentType, Reason } from "#lib/vocabulary.ts";
import { type EventData, loadData } from "./event-data.ts";
import type { EventTypeRules } from "./event-type-rules.ts";
import { type FrozenRequest, renderPostback } from "./rendering.ts";

/** An accepted event, as the outbox has it. */
export type OutboxRow = {
  event_id: string;
  received_at: Date;
  affiliate_id: string;
  type: string;
  ordering_key: string | null;
  checked: boolean;
  data_bytes: number;
};

export type Subscriber = {
  id: string;
  affiliate_id: string;
  kind: EndpointKind;
  event_types: string[] | null;
  filters: Filter[];
  ordering: Ordering;
  method: HttpMethod;
  url: string;
  body_template: string | null;
  content_type: PostbackContentType | null;
};

/** A delivery to be made. With an `end` it is recorded, and never sent. */
export type NewDelivery = {
  /** Null: the table gives one. */
  id: string | null;
  event: OutboxRow;
  endpoint: Subscriber;
  orderingKey: string | null;
  request: FrozenRequest | null;
  end: { state: "skipped" | "dead_letter"; reason: Reason } | null;
};

/** A value that its event can be found by. */
export type SearchableValue = { event: OutboxRow; value: string };

type Pair = { event: OutboxRow; endpoint: Subscriber };
type Facts = EventFields & { occurredAtMs: number; isInvalid: boolean };

/** Whether it takes an event's data to say what the endpoint gets. */
function readsData({ kind, filters }: Subscriber): boolean {
  return kind === "postback" || filters.length > 0;
}

/** Whether the catalogue lets the type's events be found by a value of their data. */
function isSearchable(rule: EventTypeRules | undefined): boolean {
  return rule?.fields.some(({ searchable }) => searchable) ?? false;
}

export type Plan = {
  /** Those that the events concern. */
  endpoints: Subscriber[];
  /** Rendered one by one as they are asked for, since all of them may be a lot. */
  deliveries: () => Generator<NewDelivery>;
  searchable: SearchableValue[];
};

/**
 * What each event becomes for each endpoint of its affiliate, in order: nothing, a delivery, or a row that says why it
 * is none; and what it can be found by, whoever gets it. Data are read only of events that a template, a filter or the
 * catalogue asks for.
 */
export async function planDeliveries(
  client: pg.PoolClient,
  options: {
    events: readonly OutboxRow[];
    byAffiliate: ReadonlyMap<string, Subscriber[]>;
    /** Of all the events' types. */
    rules: ReadonlyMap<string, EventTypeRules>;
  },
): Promise<Plan> {
  const { events, byAffiliate, rules } = options;
  const pairs = events.flatMap((event) =>
    (byAffiliate.get(event.affiliate_id) ?? [])
      .filter(({ event_types: types }) => types === null || types.includes(event.type))
      .map((endpoint) => ({ event, endpoint })),
  );
  const decisive = new Set(
    pairs
      .filter(({ event, endpoint }) => readsData(endpoint) || refuses(event, rules))
      .map(({ event }) => event),
  );
  const data = await loadData(
    client,
    events.filter((event) => decisive.has(event) || isSearchable(rules.get(event.type))),
  );
  const facts = new Map([...decisive].map((event) => [event, factsOf(event, { rules, data })]));
  const endpoints = [...new Set(pairs.map(({ endpoint }) => endpoint))];
  // A postback may hold its delivery's id, so that is needed before the row is. All or none of a transaction's, so that
  // ids keep the order of acceptance.
  const isRendering = endpoints.some(({ kind }) => kind === "postback");
  const ids = isRendering ? await reserveIds(client, pairs.length) : [];
  return {
    endpoints,
    deliveries: function* () {
      for (const [place, pair] of pairs.entries()) {
        const made = plan(pair, facts.get(pair.event), ids[place] ?? null);
        if (made) yield made;
      }
    },
    searchable: events.flatMap((event) => searchableValues(event, { rules, data })),
  };
}

type Read = { rules: ReadonlyMap<string, EventTypeRules>; data: ReadonlyMap<string, EventData> };

function searchableValues(event: OutboxRow, { rules, data }: Read): SearchableValue[] {
  const content = data.get(event.event_id);
  const fields = rules.get(event.type)?.fields.filter(({ searchable }) => searchable) ?? [];
  if (!content || fields.length === 0) return [];
  const values = new Set(readFields(content.text, fields).values());
  return [...values]
    .filter((value) => value.length <= maxSearchableLength)
    .map((value) => ({ event, value }));
}

function refuses(event: OutboxRow, rules: ReadonlyMap<string, EventTypeRules>): boolean {
  const rule = rules.get(event.type);
  return !event.checked && rule?.invalidData === "refuse" && rule.fields.length > 0;
}

/** Null without data, which were not asked for or are gone. */
function factsOf(event: OutboxRow, { rules, data }: Read): Facts | null {
  const content = data.get(event.event_id);
  if (!content) return null;
  const fields = rules.get(event.type)?.fields ?? [];
  return {
    values: readFields(content.text, fields),
    kinds: new Map(fields.map(({ name, kind }) => [name, kind])),
    occurredAtMs: content.occurredAtMs,
    isInvalid: refuses(event, rules) && checkData(content.text, fields).length > 0,
  };
}

function plan(
  { event, endpoint }: Pair,
  facts: Facts | null | undefined,
  id: string | null,
): NewDelivery | null {
  const orderingKey =
    endpoint.ordering === "none" ? null : (event.ordering_key ?? conversionOf(endpoint, facts));
  const made = { id, event, endpoint, orderingKey, request: null, end: null };
  if (facts?.isInvalid) return { ...made, end: { state: "skipped", reason: "invalid_data" } };
  if (!readsData(endpoint)) return made;
  if (!facts) return { ...made, end: { state: "dead_letter", reason: "body_purged" } };
  const subscription = { eventTypes: endpoint.event_types, filters: endpoint.filters };
  if (route({ type: event.type, fields: () => facts }, subscription).decision !== "deliver") return null;
  if (endpoint.kind === "webhook") return made;
  const rendering = renderPostback(templateOf(endpoint), {
    values: facts.values,
    event: { id: event.event_id, type: event.type, occurredAtMs: facts.occurredAtMs },
    deliveryId: id ?? "",
    affiliateId: event.affiliate_id,
  });
  return { ...made, ...rendering };
}

/** Postbacks about one conversion keep their order though nobody gave a key (product.md, "ordering"). */
function conversionOf({ kind }: Subscriber, facts: Facts | null | undefined): string | null {
  return (kind === "postback" && facts?.values.get("conversion_id")?.slice(0, maxKeyLength)) || null;
}

const maxKeyLength = 256;

export function templateOf(
  endpoint: Pick<Subscriber, "method" | "url" | "body_template" | "content_type">,
): TemplateSource {
  const { method, url, body_template: body, content_type: contentType } = endpoint;
  return { method, url, body, contentType };
}

async function reserveIds(client: pg.PoolClient, count: number): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>({
    name: "reserve_ids",
    text: `select nextval('posthorn.deliveries_id_seq') as id from generate_series(1, $1)`,
    values: [count],
  });
  return rows.map((row) => row.id);
}
