import type pg from "pg";
import { auditObjectKinds } from "#lib/audit/actions.ts";
import { endpointSorts } from "#lib/endpoints/schema.ts";
import { endpointViews } from "#lib/endpoints/views.ts";
import { searchHash } from "#lib/search/hash.ts";
import { historyRanges } from "#lib/stats/ranges.ts";
import { alertStates, deliveryStates, findingKinds, requeueStates, statusClasses } from "#lib/vocabulary.ts";
import type { Sizes } from "./fill.ts";
import { idOf } from "./fill.ts";
import { eventTypeNames, silentType } from "./seed-catalogue.ts";
import { benchSecretKey, searchedValues } from "./seed-traffic.ts";

export type ConsoleCall = {
  name: string;
  path: string;
  /** POSTed where given. */
  body?: unknown;
  /** Measured is the page after so many. */
  pages?: number;
};

/** Records of the database that the calls are about. */
export type Known = {
  sizes: Sizes;
  delivered: string;
  deadLetter: string;
  event: string;
  alert: string;
  audited: string;
  /** The busiest endpoint, one that stays open, one that is paused, one of the quietest. */
  endpoints: Record<"busy" | "open" | "held" | "quiet", string>;
  /** The key of an affiliate with few endpoints. */
  few: string;
  requeue: string;
  user: string;
  startedAt: string;
  endedAt: string;
};

export async function findKnown(pool: pg.Pool, sizes: Sizes): Promise<Known> {
  const endpoint = (n: number) => `${idOf("endpoint", String(n))}::text`;
  const { rows } = await pool.query<Record<string, string>>(`
    select (select max(id)::text from posthorn.deliveries where state = 'delivered' and id < ${sizes.deliveries * 0.9}) as delivered,
      (select max(id)::text from posthorn.deliveries where state = 'dead_letter') as dead_letter,
      (select event_id from posthorn.deliveries where id = ${Math.floor(sizes.deliveries * 0.9)}) as event,
      (select max(id)::text from posthorn.alerts) as alert,
      (select object_id from posthorn.audit_log where object_kind = 'endpoint' order by id desc limit 1) as audited,
      ${idOf("requeue", "1")}::text as requeue,
      (select min(id::text) from posthorn.users where role <> 'affiliate') as "user", ${endpoint(1)} as busy, ${endpoint(2)} as open, ${endpoint(3)} as held,
      ${endpoint(sizes.endpoints)} as quiet,
      (select min(received_at) from posthorn.events)::timestamptz(0) as started_at,
      (select max(received_at) from posthorn.events)::timestamptz(0) as ended_at`);
  const row = rows[0] as Record<string, string>;
  return {
    sizes,
    delivered: row.delivered as string,
    deadLetter: row.dead_letter as string,
    event: row.event as string,
    alert: row.alert as string,
    audited: row.audited as string,
    endpoints: {
      busy: row.busy as string,
      open: row.open as string,
      held: row.held as string,
      quiet: row.quiet as string,
    },
    few: `affiliate-${Math.min(99, sizes.affiliates)}`,
    requeue: row.requeue as string,
    user: row.user as string,
    startedAt: new Date(row.started_at as string).toISOString(),
    endedAt: new Date(row.ended_at as string).toISOString(),
  };
}

const large = "affiliate-1";
const rareType = eventTypeNames[14];
const unusualType = eventTypeNames[12];
const frequentType = eventTypeNames[0];
const deepPages = 200;

type Query = Record<string, string | number | boolean>;

/** Every GET route of the console with each filter and sort, and the POST routes that only look. */
export function consoleCalls(known: Known): ConsoleCall[] {
  return [
    ...tiles(known),
    ...deliveryCalls(known),
    ...deadLetterCalls(known),
    ...endpointCalls(known),
    ...eventCalls(known),
    ...historyCalls(known),
    ...otherLists(known),
    ...records(known),
  ];
}

const get = (name: string, path: string, query: Query = {}): ConsoleCall => {
  const search = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
  return { name, path: `/api/console/${path}${search.size > 0 ? `?${search}` : ""}` };
};
const deep = (name: string, path: string, query: Query = {}): ConsoleCall => ({
  ...get(`${name}, page ${deepPages + 1}`, path, { ...query, limit: 100 }),
  pages: deepPages,
});

function tiles({ event, endpoints, delivered }: Known): ConsoleCall[] {
  const find = (name: string, q: string) => ({
    name: `find ${name}`,
    path: "/api/console/find",
    body: { q },
  });
  return [
    get("overview", "overview"),
    get("queue", "queue"),
    find("a delivery", delivered),
    find("an event", event),
    find("an endpoint", endpoints.busy),
    find("by a value of one event", searchedValues.rare),
    find("by a value of many events", searchedValues.frequent),
    find("nothing", "nobody has this"),
  ];
}

const hashOf = (value: string) => searchHash(value, [benchSecretKey]);

function deliveryCalls({
  few,
  endpoints,
  event,
  delivered,
  deadLetter,
  requeue,
  startedAt,
  endedAt,
}: Known): ConsoleCall[] {
  const path = "deliveries";
  const early = inSpan({ startedAt, endedAt }, 0.3);
  const filters: [string, Query][] = [
    ["all", {}],
    ...deliveryStates.map((state): [string, Query] => [`state ${state}`, { state }]),
    ["states waiting and failed", { state: "pending,failed" }],
    ["reason server_error", { reason: "server_error" }],
    ["reason that nothing has", { reason: "tls_failed" }],
    ...statusClasses.map((name): [string, Query] => [`status ${name}`, { status_class: name }]),
    ["endpoint, busy", { endpoint: endpoints.busy }],
    ["endpoint, quiet", { endpoint: endpoints.quiet }],
    ["endpoint and state", { endpoint: endpoints.open, state: "dead_letter" }],
    ["endpoint and reason", { endpoint: endpoints.quiet, reason: "unauthorized" }],
    ["affiliate, 1,000 endpoints", { affiliate: large }],
    ["affiliate, few endpoints", { affiliate: few }],
    ["affiliate and state delivered", { affiliate: large, state: "delivered" }],
    ["affiliate and state failed", { affiliate: few, state: "failed" }],
    ["affiliate and state waiting", { affiliate: few, state: "pending" }],
    ["affiliate and reason", { affiliate: few, reason: "gone" }],
    ["event", { event }],
    ["type, frequent", { type: frequentType }],
    ["type, 1 of 250", { type: unusualType }],
    ["type, 1 of 20,000", { type: rareType }],
    ["type that nothing has", { type: silentType }],
    ["type and affiliate", { type: unusualType, affiliate: large }],
    ["type, frequent, and affiliate", { type: frequentType, affiliate: large }],
    ["type and affiliate, few endpoints", { type: unusualType, affiliate: few }],
    ["type and endpoint", { type: unusualType, endpoint: endpoints.busy }],
    ["type and state waiting", { type: unusualType, state: "pending" }],
    ["attempts from 2", { attempts_min: 2 }],
    ["attempts from 5 to 5", { attempts_min: 5, attempts_max: 5 }],
    ["attempts to 0", { attempts_max: 0 }],
    ["attempts to 1", { attempts_max: 1 }],
    ["put back by a requeue", { requeue }],
    ["put back by a requeue, and failed again", { requeue, state: "failed,dead_letter" }],
    ["a day in the past", early],
    ["a day and reason", { ...early, reason: "timeout" }],
    ["a day and affiliate", { ...early, affiliate: large }],
    ["searchable value of one event", { q_hash: hashOf(searchedValues.rare) }],
    ["searchable value of many events", { q_hash: hashOf(searchedValues.frequent) }],
    ["searchable value and state", { q_hash: hashOf(searchedValues.frequent), state: "dead_letter" }],
  ];
  return [
    ...filters.map(([name, query]) => get(`deliveries: ${name}`, path, query)),
    ...filters.slice(1).map(([name, query]) => get(`deliveries, count: ${name}`, `${path}/count`, query)),
    ...(
      [
        ["all", {}],
        ["state delivered", { state: "delivered" }],
        ["state dead_letter", { state: "dead_letter" }],
        ["waiting and failed", { state: "pending,failed" }],
        ["status 5xx", { status_class: "5xx" }],
        ["endpoint, busy", { endpoint: endpoints.busy }],
        ["affiliate, 1,000 endpoints", { affiliate: large }],
        ["type, 1 of 250", { type: unusualType }],
      ] as const
    ).map(([name, query]) => deep(`deliveries: ${name}`, path, query)),
    ...(
      [
        ["all", delivered, {}],
        ["dead letters", deadLetter, { state: "dead_letter" }],
        ["affiliate", delivered, { affiliate: large }],
        ["type, 1 of 20,000", delivered, { type: rareType }],
      ] as const
    ).map(([name, id, query]) => get(`neighbours: ${name}`, `${path}/${id}/neighbours`, query)),
  ];
}

function deadLetterCalls({ few, endpoints, event, deadLetter, startedAt, endedAt }: Known): ConsoleCall[] {
  const filters: [string, Query][] = [
    ["all", {}],
    ["endpoint", { endpoint: endpoints.open }],
    ["endpoint, quiet", { endpoint: endpoints.quiet }],
    ["affiliate, 1,000 endpoints", { affiliate: large }],
    ["affiliate, few endpoints", { affiliate: few }],
    ["reasons", { reason: "server_error,timeout" }],
    ["reason that nothing has", { reason: "tls_failed" }],
    ["status 503", { status: 503 }],
    ["status class none", { status_class: "none" }],
    ["type, frequent", { event_type: frequentType }],
    ["type, 1 of 20,000", { event_type: rareType }],
    ["a day in the past", inSpan({ startedAt, endedAt }, 0.3)],
    ["by its id", { q: deadLetter }],
    ["by an event's id", { q: event }],
  ];
  return [
    get("dead letters: findings", "dead-letters/findings"),
    get("dead letters: findings of an affiliate", "dead-letters/findings", { affiliate: large }),
    get("dead letters: findings of an endpoint", "dead-letters/findings", { endpoint: endpoints.open }),
    ...filters.flatMap(([name, query]) => [
      get(`dead letters, groups: ${name}`, "dead-letters/groups", query),
      get(`dead letters: ${name}`, "dead-letters", query),
    ]),
    deep("dead letters: all", "dead-letters"),
    deep("dead letters: affiliate, 1,000 endpoints", "dead-letters", { affiliate: large }),
    {
      name: "requeue, preview: dead letters of an endpoint",
      path: "/api/console/requeues/preview",
      body: { filter: { endpoint: endpoints.open } },
    },
    {
      name: "requeue, preview: what an endpoint holds",
      path: "/api/console/requeues/preview",
      body: { operation: "discard", filter: { endpoint: endpoints.held, states: ["held"] } },
    },
  ];
}

function endpointCalls({ few }: Known): ConsoleCall[] {
  const list = (name: string, query: Query) =>
    get(`endpoints: ${name}`, "endpoints", { activity: true, ...query });
  return [
    ...endpointViews.flatMap((view) =>
      endpointSorts.map((sort) => list(`view ${view}, ${sort}`, { view, sort })),
    ),
    ...endpointSorts.map((sort) => list(`waiting, ${sort}`, { sort, waiting: true })),
    list("search", { q: "webhook 77" }),
    list("search, nothing found", { q: "nobody has this" }),
    list("affiliate, 1,000 endpoints", { affiliate: large, sort: "worst" }),
    list("affiliate, few endpoints", { affiliate: few, sort: "worst" }),
    list("status disabled", { status: "disabled" }),
    list("event type", { event_type: frequentType }),
    list("failing", { failing: true, sort: "worst" }),
    ...endpointSorts.map((sort) => ({
      ...get(`endpoints: all, ${sort}, page 61`, "endpoints", { sort, activity: true, limit: 100 }),
      pages: 60,
    })),
  ];
}

function eventCalls({ few, event, startedAt, endedAt }: Known): ConsoleCall[] {
  const list = (name: string, query: Query) => get(`events: ${name}`, "events", query);
  return [
    list("all", {}),
    list("by id", { id: event }),
    list("type, frequent", { type: frequentType }),
    list("type, 1 of 20,000", { type: rareType }),
    list("type that nothing has", { type: silentType }),
    list("affiliate, 1,000 endpoints", { affiliate: large }),
    list("affiliate, few endpoints", { affiliate: few }),
    list("type and affiliate", { type: rareType, affiliate: large }),
    list("type and affiliate, few endpoints", { type: unusualType, affiliate: few }),
    list("a day in the past", inSpan({ startedAt, endedAt }, 0.3)),
    list("searchable value of one event", { q_hash: hashOf(searchedValues.rare) }),
    list("searchable value of many events", { q_hash: hashOf(searchedValues.frequent) }),
    deep("events: all", "events"),
    deep("events: affiliate, 1,000 endpoints", "events", { affiliate: large }),
    deep("events: type, frequent", "events", { type: frequentType }),
  ];
}

function historyCalls({ few, endpoints, endedAt }: Known): ConsoleCall[] {
  const subjects: [string, Query][] = [
    ["all", {}],
    ["affiliate, 1,000 endpoints", { affiliate: large }],
    ["affiliate, few endpoints", { affiliate: few }],
    ["endpoint, busy", { endpoint: endpoints.busy }],
    ["endpoint, breaker moves", { endpoint: endpoints.open }],
    ["endpoint, quiet", { endpoint: endpoints.quiet }],
  ];
  const from = new Date(Date.parse(endedAt) - 14 * 86_400_000).toISOString();
  return subjects.flatMap(([name, subject]) => [
    ...historyRanges.map((range) =>
      get(`history, ${range}: ${name}`, "stats/history", { range, ...subject }),
    ),
    get(`history, 14 days: ${name}`, "stats/history", { from, to: endedAt, ...subject }),
  ]);
}

function otherLists({ few, endpoints, audited, user, startedAt, endedAt }: Known): ConsoleCall[] {
  const audit = (name: string, query: Query) => get(`audit: ${name}`, "audit", query);
  return [
    get("affiliates: all", "affiliates", { activity: true }),
    get("affiliates: search", "affiliates", { activity: true, q: "iliate 77" }),
    get("affiliates: search, nothing found", "affiliates", { activity: true, q: "nobody has this" }),
    { ...get("affiliates: page 26", "affiliates", { activity: true, limit: 100 }), pages: 25 },
    get("users: all", "users"),
    get("users: search", "users", { q: "bench" }),
    get("user", `users/${user}`),
    get("invitations: all", "invitations"),
    get("approvals: all", "approvals"),
    get("event types: all", "event-types"),
    get("event types: search", "event-types", { q: "lead" }),
    get("requeues: all", "requeues"),
    ...requeueStates.map((state) => get(`requeues: ${state}`, "requeues", { state })),
    { ...get("requeues: page 26", "requeues", { limit: 100 }), pages: 25 },
    get("alerts: all", "alerts"),
    ...alertStates.map((state) => get(`alerts: ${state}`, "alerts", { state })),
    ...findingKinds.map((kind) => get(`alerts: ${kind}`, "alerts", { kind })),
    get("alerts: endpoint", "alerts", { endpoint: endpoints.open }),
    get("alerts: affiliate, 1,000 endpoints", "alerts", { affiliate: large }),
    get("alerts: affiliate, few endpoints", "alerts", { affiliate: few }),
    deep("alerts: all", "alerts"),
    audit("all", {}),
    audit("action", { action: "endpoint.pause" }),
    ...auditObjectKinds.map((kind) => audit(`object kind ${kind}`, { object_kind: kind })),
    audit("object", { object_id: audited }),
    audit("any user", { actor: "user" }),
    audit("one user", { actor: "01900000-0000-7000-8000-000000000001" }),
    audit("Posthorn itself", { actor: "system" }),
    audit("affiliate, 1,000 endpoints", { affiliate: large }),
    audit("affiliate, few endpoints", { affiliate: few }),
    audit("a day in the past", inSpan({ startedAt, endedAt }, 0.7)),
    audit("action of one user", { action: "endpoint.pause", actor: "01900000-0000-7000-8000-000000000009" }),
    audit("action and affiliate", { action: "endpoint.pause", affiliate: few }),
    deep("audit: all", "audit"),
    deep("audit: any user", "audit", { actor: "user" }),
    get("API keys: all", "api-keys"),
    get("API keys: search", "api-keys", { q: "key 7" }),
    get("API keys: revoked", "api-keys", { status: "revoked" }),
    get("breaker history", `endpoints/${endpoints.open}/breaker-history`),
    {
      ...get("breaker history, page 61", `endpoints/${endpoints.open}/breaker-history`, { limit: 100 }),
      pages: 60,
    },
  ];
}

function records({ delivered, deadLetter, event, alert, requeue, endpoints }: Known): ConsoleCall[] {
  return [
    get("one delivery, delivered", `deliveries/${delivered}`),
    get("one delivery, dead letter", `deliveries/${deadLetter}`),
    get("one event", `events/${event}`),
    get("one endpoint, busy", `endpoints/${endpoints.busy}`),
    get("one endpoint, breaker open", `endpoints/${endpoints.open}`),
    get("one endpoint, held", `endpoints/${endpoints.held}`),
    get("one endpoint's secrets", `endpoints/${endpoints.busy}/secrets`),
    get("one affiliate, 1,000 endpoints", `affiliates/${large}`),
    get("one event type", `event-types/${frequentType}`),
    get("one requeue", `requeues/${requeue}`),
    get("one alert", `alerts/${alert}`),
    get("one's own account", "account"),
    get("one's own sessions", "account/sessions"),
  ];
}

/** A day, `part` of the way through the time that there is. */
function inSpan({ startedAt, endedAt }: Pick<Known, "startedAt" | "endedAt">, part: number) {
  const [first, last] = [Date.parse(startedAt), Date.parse(endedAt)];
  const fromMs = first + (last - first) * part;
  return { from: new Date(fromMs).toISOString(), to: new Date(fromMs + 86_400_000).toISOString() };
}
