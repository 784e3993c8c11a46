import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import type { RouteContext } from "#lib/api/route.ts";
import { diagnoseDeadLetters } from "#lib/queue/diagnosis.ts";
import { fanOut } from "#lib/queue/fan-out.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { addDeadLetters } from "#test/helpers/dead-letters.ts";
import { createApiKey, fanOutOptions } from "#test/helpers/factories.ts";
import {
  awkwardTexts,
  awkwardValue,
  type Chance,
  createChance,
  mutate,
  mutateText,
} from "#test/helpers/fuzz.ts";
import { createPortalSession, createUserSession } from "#test/helpers/users.ts";
import * as invitations from "../../app/api/console/invitations/route.ts";
import * as affiliates from "../../app/api/v1/affiliates/route.ts";
import * as deadLetters from "../../app/api/v1/dead-letters/route.ts";
import * as deliveries from "../../app/api/v1/deliveries/route.ts";
import * as endpoints from "../../app/api/v1/endpoints/route.ts";
import * as eventTypes from "../../app/api/v1/event-types/route.ts";
import * as events from "../../app/api/v1/events/route.ts";

/**
 * Every handler of every route file gets random and nearly valid requests: none is answered with a 5xx, with anything
 * but JSON, or not at all, no refusal tells of code or SQL, and no answer to whoever is of one affiliate has anything of
 * another's in it. POSTHORN_FUZZ_SEED repeats a run, POSTHORN_FUZZ_REQUESTS is how many there are.
 */
const seed = Number(process.env.POSTHORN_FUZZ_SEED ?? Date.now() % 1_000_000);
const requests = Number(process.env.POSTHORN_FUZZ_REQUESTS ?? 1_500);
/** Far beyond what a statement may take; who hears nothing until then hears nothing at all. */
const hangsAfterMs = 20_000;

type Handler = (request: Request, context: RouteContext) => Promise<Response>;
type Target = { method: string; route: string; handler: Handler };
type Call = {
  url: string;
  params: Record<string, string>;
  headers: [string, string][];
  body: Body;
  /** The affiliate that the caller is limited to; null for staff, and for who is nobody. */
  tenant: Tenant | null;
};
type Tenant = "acme" | "rival";
type Body = string | Uint8Array<ArrayBuffer> | null;

const files = import.meta.glob<Record<string, Handler>>("../../app/**/route.ts", { eager: true });
const targets: Target[] = Object.entries(files).flatMap(([file, handlers]) =>
  Object.entries(handlers).map(([method, handler]) => ({
    method,
    route: file.replace("../../app", "").replace("/route.ts", ""),
    handler,
  })),
);

const api = setUpApi();
let cookie = "";
/** Those who see one affiliate's alone: its user, a key, and who came by a link; by what a request shows of them. */
let limited: { tenant: Tenant; isKey: boolean; header: [string, string] }[] = [];
/** What nobody of another affiliate is to read: its ids, and words that only its records hold. */
const owned: Record<Tenant, Set<string>> = {
  acme: new Set(["acme-canary"]),
  rival: new Set(["rival-canary"]),
};
const tenantIds: Partial<Record<Tenant, string>> = {};
/** How many answers told each affiliate of its own. */
const told: Record<Tenant, number> = { acme: 0, rival: 0 };
/** Of records that exist, by the route's folder and parameter; what is created on the way comes to it. */
const uuid = "01890a5d-ac96-774b-bcce-b302099a8057";
const ids: Record<string, string[]> = {
  "affiliates/[key]": ["acme", "rival"],
  "alerts/[id]": [],
  "api-keys/[id]": [uuid],
  "deliveries/[id]": [],
  "endpoints/[id]": [],
  "event-types/[name]": ["fuzz.first", "qualified"],
  "events/[id]": [],
  "requeues/[id]": [uuid],
  "portal-link/[id]": [uuid],
  "approvals/[id]": [uuid],
  "secrets/[secretId]": [uuid],
  "users/[id]": [uuid],
  "invitations/[id]": [uuid],
  "api/[...path]": ["nothing"],
};
const cursors: string[] = [];
const hashes: string[] = ["0".repeat(32)];

const field = {
  name: "order_no",
  description: "d",
  kind: "string",
  required: true,
  searchable: true,
  example: "1",
};
const settings = {
  name: "Fuzz",
  url: "http://127.0.0.1:1/hook?a=1",
  event_types: ["ftd", "deposit"],
  headers: [{ name: "X-Token", value: "abc" }],
  filters: [{ field: "country", is: "one_of", values: ["SE", "NO"] }],
  response_rules: [{ kind: "body_contains", text: "ok", retry: true }],
  retry: { max_attempts: 3, base_seconds: 1, cap_seconds: 10 },
  rate_limit: { amount: 10, per: "second", burst: 2 },
  timeout_ms: 5_000,
  concurrency: 4,
  ordering: "per_key",
};
const postback = {
  kind: "postback",
  url: "http://127.0.0.1:1/p?c={click_id|none}&p={payout:sha256|0}&s={status|x}&k={secret.token}",
  postback: { method: "POST", body: '{"a":"{sub1|x}"}', content_type: "application/json", sign: false },
  macro_secrets: [{ name: "token", value: "t0ken" }],
};
const event = {
  type: "deposit",
  affiliate: "acme",
  ordering_key: "k",
  data: { click_id: "c", country: "SE", amount: 1.5 },
};

const requeue = {
  filter: { endpoint: uuid, states: ["dead_letter", "held"], from: "2026-01-31T12:00:00Z", status: 500 },
  rate_per_second: 5,
  reason: "because",
};

/** Bodies that are right, or nearly, by the end of the route. A route that takes one and has none here is a fault. */
const bodies: Record<string, unknown[]> = {
  "/affiliates": [{ key: "fuzz-1", name: "Fuzz" }],
  "/affiliates/[key]": [{ name: "Fuzz" }],
  "/affiliates/[key]/portal-link": [{ minutes: 5 }, {}],
  "/notices/settings": [{ kinds: ["failing"], by_email: true, webhook_url: "http://127.0.0.1:1/n" }],
  "/notices/settings/secret": [{}],
  "/approvals/[id]/approve": [{}],
  "/approvals/[id]/refuse": [{ reason: "because" }],
  "/portal-enter": [{ token: "x".repeat(43) }],
  "/deliveries/[id]/resend": [{}, { force: true, render_again: true }],
  "/deliveries/[id]/reveal": [{ reason: "because" }],
  "/events/[id]/reveal": [{ reason: "because" }],
  "/api-keys": [{ name: "Fuzz", purpose: "read" }],
  "/deliveries/search": [{ value: "c", state: "pending", affiliate: "acme", limit: 2 }],
  "/endpoints": [
    { affiliate: "acme", ...settings },
    { affiliate: "acme", ...settings, ...postback },
  ],
  "/endpoints/[id]": [settings, { ...postback, kind: undefined }, { url: settings.url }],
  "/endpoints/[id]/breaker/close": [{}],
  "/endpoints/[id]/breaker/hold": [{ reason: "because" }],
  "/endpoints/[id]/breaker/reset": [{}],
  "/endpoints/[id]/pause": [{}],
  "/endpoints/[id]/render-waiting": [{ after: "1" }, {}],
  "/endpoints/[id]/resume": [{}],
  "/endpoints/[id]/reveal-secret": [{ reason: "because" }],
  "/endpoints/[id]/rotate-secret": [{ overlap_hours: 24 }, {}],
  // Nothing is sent: what the endpoints' addresses have become by then is anybody's guess.
  "/endpoints/[id]/test": [{ live: false, type: "deposit" }, { event_id: "fuzz-event" }, {}],
  "/event-types": [{ name: "fuzz.more", description: "d", fields: [field], invalid_data: "refuse" }],
  "/event-types/[name]": [{ description: "d", fields: [field], deprecated: false }, { invalid_data: "warn" }],
  "/events": [event, [event, { ...event, id: "fuzz-event", occurred_at: "2026-01-31T12:00:00+02:00" }]],
  "/find": [{ q: "acme" }],
  "/account": [{ name: "Fuzz" }],
  "/account/password": [{ current: "three little horns", password: "three little horns" }],
  "/setup": [
    { token: "x".repeat(43), name: "Fuzz", email: "fuzz@posthorn.example", password: "four little horns" },
  ],
  "/sign-in": [{ email: "fuzz@posthorn.example", password: "three little horns" }],
  "/sign-in/oidc": [{}, { next: "/overview" }],
  "/sign-in/code": [{ code: "123456" }, { code: "abcde-fghij" }],
  "/sign-out": [{}],
  "/account/two-factor": [{ password: "three little horns" }],
  "/account/two-factor/disable": [{ password: "three little horns" }],
  "/account/two-factor/enable": [{ code: "123456" }],
  "/requeues": [requeue, { ...requeue, filter: { ids: ["1", "2"] }, operation: "discard" }],
  "/requeues/preview": [{ filter: requeue.filter, mode: "render_again" }, { filter: {} }],
  "/requeues/[id]/cancel": [{}],
  "/invitations": [
    { email: "fuzz@posthorn.example", role: "support" },
    { email: "fuzz@posthorn.example", role: "affiliate", affiliate: "acme" },
  ],
  "/invitations/accept": [{ token: "x".repeat(43), name: "Fuzz", password: "four little horns" }],
  "/forgotten-password": [{ email: "fuzz@posthorn.example" }],
  "/new-password": [{ token: "x".repeat(43), password: "four little horns" }],
  "/users/[id]/password-link": [{}],
  "/users/[id]": [{ role: "ops" }, { role: "affiliate", affiliate: "acme" }],
  "/users/[id]/deactivate": [{}],
  "/users/[id]/reactivate": [{}],
  "/users/[id]/reset-second-factor": [{}],
  "/users/[id]/sign-out": [{}],
  // Of nobody: as a viewer the rest of the run would be refused.
  "/view-as": [{ affiliate: "nobody-at-all" }],
  "/templates/preview": [
    {
      template: "http://127.0.0.1:1/p?c={click_id|none}&t={timestamp:tz(Europe/Riga)}&a={amount|0}",
      method: "GET",
      sign_with: "whsec_AAAA",
      event: { type: "deposit", occurred_at: "2026-01-31T12:00:00Z", data: { click_id: "c" } },
    },
  ],
  "/api/[...path]": [{}],
};

const bodyKey = (route: string) => route.replace(/^\/api\/(v1|console)(?=\/)/, "");
const takesBody = ({ method }: Target) => method === "POST" || method === "PATCH" || method === "PUT";

/** What a call has ended or deleted. */
async function makeAgain({ method, route }: Target): Promise<void> {
  if (route.endsWith("/sign-out") || route.endsWith("/account/sessions")) return makeSessions();
  if (method === "DELETE" && !route.endsWith("/view-as")) return makeRecords();
}

async function makeSessions(): Promise<void> {
  const { pool } = api.database;
  ({ cookie } = await createUserSession(pool, { role: "admin" }));
  limited = [];
  for (const [tenant, affiliateId] of Object.entries(tenantIds) as [Tenant, string][]) {
    const user = await createUserSession(pool, { role: "affiliate", affiliateId });
    const { key } = await createApiKey(pool, { purpose: "read", affiliateId });
    limited.push(
      { tenant, isKey: false, header: ["cookie", user.cookie] },
      { tenant, isKey: false, header: ["cookie", await createPortalSession(pool, affiliateId)] },
      { tenant, isKey: true, header: ["authorization", `Bearer ${key}`] },
    );
  }
}

/** Sessions, affiliates, an event type, and for each affiliate an endpoint of each kind. */
async function makeRecords(): Promise<void> {
  const { pool } = api.database;
  await api.call(eventTypes.POST, { body: { name: "fuzz.first", fields: [field] } });
  ids["endpoints/[id]"] = [];
  for (const tenant of ["acme", "rival"] as const) await makeTenant(tenant);
  await diagnoseDeadLetters(pool);
  await makeSessions();
  const invited = await api.call(invitations.POST, { body: { email: "x@posthorn.example", role: "ops" } });
  // So many are refused after a while.
  if (invited.status === 201) ids["invitations/[id]"]?.push(invited.body.id);
  ids["users/[id]"]?.push((await createUserSession(pool, { role: "ops" })).id);
  const { rows } = await pool.query("select id from posthorn.alerts");
  ids["alerts/[id]"] = rows.map(({ id }) => id);
  for (const { GET } of [deliveries, deadLetters]) {
    const page = await api.call(GET, { query: { limit: "1" } });
    cursors.push(page.body.next_cursor);
  }
}

async function makeTenant(tenant: Tenant) {
  const { pool } = api.database;
  await api.call(affiliates.POST, { body: { key: tenant, name: `${tenant}-canary` } });
  const made = [];
  for (const more of [{}, postback]) {
    const body = { affiliate: tenant, ...settings, ...more, name: `${tenant}-canary` };
    made.push(await api.call(endpoints.POST, { body }));
  }
  expect(made.map(({ status, body }) => [status, body.errors])).toEqual([
    [201, undefined],
    [201, undefined],
  ]);
  const [first] = made;
  const id: string = first?.body.affiliate.id;
  const data = { ...event.data, click_id: `${tenant}-canary` };
  const { body } = await api.call(events.POST, {
    body: {
      ...event,
      id: `fuzz-${first?.body.id}`,
      affiliate: tenant,
      ordering_key: `${tenant}-canary`,
      data,
    },
  });
  await fanOut(pool, fanOutOptions);
  const page = await api.call(deliveries.GET, { query: { limit: "1", affiliate: tenant } });
  await addDeadLetters(pool, {
    endpointId: first?.body.id,
    affiliateId: id,
    count: 5,
    reason: "unauthorized",
    status: 401,
  });
  ids["deliveries/[id]"]?.push(page.body.data[0].id);
  ids["endpoints/[id]"]?.push(...made.map((one) => one.body.id));
  ids["events/[id]"]?.push(body.id);
  for (const own of [id, body.id, ...made.map((one) => one.body.id)]) owned[tenant].add(own);
  tenantIds[tenant] = id;
}

beforeAll(makeRecords);

test("every route that takes a body has one to begin with", () => {
  expect(targets.length).toBeGreaterThan(60);
  const without = targets.filter((target) => takesBody(target) && !bodies[bodyKey(target.route)]);
  expect(without.map(({ route }) => route)).toEqual([]);
});

test("what cursors say is read as well", async () => {
  const first = await api.call(endpoints.GET, { query: { limit: "1" } });
  const cursor = first.body.next_cursor;
  const second = await api.call(endpoints.GET, { query: { limit: "1", cursor } });
  for (const { body } of [first, second]) {
    const read = cursorsIn(JSON.stringify(body));
    expect(read).toContain(body.data[0].id);
    expect(read.split(" ")).toHaveLength(body.previous_cursor === null ? 1 : 2);
  }
});

test(
  `${requests} requests, all answered and none with a fault of ours`,
  async () => {
    const chance = createChance(seed);
    const answers = new Map<number, number>();
    for (let n = 0; n < requests; n++) {
      const target = targets[n % targets.length] as Target;
      const call = makeCall(target, chance);
      const status = await checkedAnswer(target, call).catch((error: Error) => {
        throw new Error(`seed ${seed}, request ${n}: ${wordsOf({ target, call })}\n${error.message}`);
      });
      answers.set(status, (answers.get(status) ?? 0) + 1);
      if (status === 204) await makeAgain(target);
    }
    // It gets behind the doors too, and not only to those who guard them.
    expect((answers.get(200) ?? 0) + (answers.get(201) ?? 0)).toBeGreaterThan(requests / 20);
    expect(answers.get(422)).toBeGreaterThan(requests / 20);
    // And those who may not read what is another's do read their own.
    expect(Math.min(told.acme, told.rival)).toBeGreaterThan(requests / 200);
  },
  60_000 + requests * 100,
);

function wordsOf({ target, call }: { target: Target; call: Call }): string {
  const body = call.body instanceof Uint8Array ? `hex ${Buffer.from(call.body).toString("hex")}` : call.body;
  return `${target.method} ${target.route} ${JSON.stringify({ ...call, body }).slice(0, 4_000)}`;
}

async function checkedAnswer({ method, handler }: Target, call: Call): Promise<number> {
  const request = new Request(call.url, { method, headers: call.headers, body: call.body });
  const late = new AbortController();
  const response = await Promise.race([
    handler(request, { params: Promise.resolve(call.params) }),
    sleep(hangsAfterMs, undefined, { signal: late.signal }).then(() => {
      throw new Error(`no answer within ${hangsAfterMs} ms`);
    }),
  ]).finally(() => late.abort());
  const text = await response.text();
  const { status } = response;
  expect(status, text).toBeLessThan(500);
  if (call.tenant) checkTenant(call.tenant, { call, text });
  expect(response.headers.get("cache-control")).toBe("no-store");
  if (status === 204) {
    expect(text).toBe("");
    return status;
  }
  if (status < 300 && new URL(call.url).pathname.endsWith(".csv")) {
    expect(response.headers.get("content-type")).toMatch(/^text\/csv;/);
    return status;
  }
  const body = JSON.parse(text);
  if (status < 300) {
    expect(response.headers.get("content-type")).toBe("application/json");
    remember(body);
    return status;
  }
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect(body).toMatchObject({
    status,
    type: `urn:posthorn:problem:${body.code}`,
    title: expect.stringMatching(/./),
    detail: expect.stringMatching(/./),
    request_id: response.headers.get("x-request-id"),
  });
  expect(text).not.toMatch(
    /\b(select|insert|update|delete)\b.+\b(from|into|set)\b|posthorn\.[a-z_]|node_modules|node:/i,
  );
  expect(text).not.toMatch(/\.[cm]?[jt]sx?:\d|\bat \S+ \(|[A-Z][a-z]+Error\b|syntax error|violates/);
  return status;
}

/** Nothing of the other affiliate is in the answer, but for what the caller said themselves. */
function checkTenant(tenant: Tenant, { call, text }: { call: Call; text: string }): void {
  const body = call.body instanceof Uint8Array ? Buffer.from(call.body).toString("latin1") : call.body;
  const said = `${decodeURIComponent(call.url)} ${JSON.stringify(call.params)} ${body}`;
  const read = text + cursorsIn(text);
  const leaked = [...owned[tenant === "acme" ? "rival" : "acme"]].filter(
    (secret) => read.includes(secret) && !said.includes(secret),
  );
  expect(leaked, text).toEqual([]);
  if ([...owned[tenant]].some((secret) => read.includes(secret))) told[tenant] += 1;
}

/** What the cursors of an answer say, before their signatures. */
function cursorsIn(text: string): string {
  return [...text.matchAll(/"(?:next|previous)_cursor":"([\w-]+)\./g)]
    .map(([, position = ""]) => Buffer.from(position, "base64url").toString("utf8"))
    .join(" ");
}

/** New cursors and hashes, of which later requests make use. */
function remember(body: { next_cursor?: unknown; hash?: unknown }): void {
  if (typeof body.next_cursor === "string") cursors[cursors.length % 50] = body.next_cursor;
  if (typeof body.hash === "string") hashes[0] = body.hash;
}

function makeCall(target: Target, chance: Chance): Call {
  const params: Record<string, string> = {};
  const path = target.route.replace(
    /([^/]+)\/\[(?:\.\.\.)?([^\]]+)\]/g,
    (place, folder: string, name: string) => {
      const known = ids[place];
      if (!known) throw new Error(`no id is known for ${place}`);
      const id = chance.pick(known);
      const given = chance.oneIn(5)
        ? chance.pick([uuid, mutateText(id, chance), chance.pick(awkwardTexts)])
        : id;
      params[name] = given;
      return `${folder}/${encodeURIComponent(given.toWellFormed())}`;
    },
  );
  const query = chance.oneIn(2) ? new URLSearchParams() : makeQuery(chance);
  return {
    url: `http://127.0.0.1:3000${path}?${query}`,
    params,
    ...makeHeaders(target, chance),
    body: takesBody(target) ? makeBody(target, chance) : null,
  };
}

const queryNames = [
  "limit",
  "cursor",
  "state",
  "endpoint",
  "affiliate",
  "event",
  "requeue",
  "q_hash",
  "q",
  "kind",
  "status",
  "failing",
  "event_type",
  "reason",
  "status_class",
  "from",
  "to",
];

function makeQuery(chance: Chance): URLSearchParams {
  const query = new URLSearchParams();
  for (let n = chance.below(3); n >= 0; n--) {
    const name = chance.oneIn(15) ? chance.pick(awkwardTexts) : chance.pick(queryNames);
    query.append(name, queryValue(name, chance).toWellFormed());
  }
  return query;
}

function queryValue(name: string, chance: Chance): string {
  if (chance.oneIn(6)) return chance.pick(awkwardTexts);
  const known: Record<string, string[]> = {
    limit: ["1", "2", "100"],
    cursor: cursors,
    state: ["pending", "failed", "delivered", "dead_letter"],
    endpoint: ids["endpoints/[id]"] ?? [],
    affiliate: ["acme", "rival"],
    event: ids["events/[id]"] ?? [],
    requeue: ids["requeues/[id]"] ?? [],
    q_hash: hashes,
    status: ["active", "paused"],
    failing: ["true", "false"],
    event_type: ["deposit"],
    reason: ["timeout", "unauthorized,forbidden"],
    status_class: ["4xx", "none"],
    from: ["2026-01-31T12:00:00Z"],
    to: ["2099-01-31T12:00:00+02:00"],
  };
  const value = chance.pick((Object.hasOwn(known, name) && known[name]) || ["a"]);
  if (!chance.oneIn(3)) return value;
  return name === "cursor" ? forgedCursor(value, chance) : mutateText(value, chance);
}

/** One of our form that we did not make. */
function forgedCursor(cursor: string, chance: Chance): string {
  const [position = "", signature] = cursor.split(".");
  const key = mutate(JSON.parse(Buffer.from(position, "base64url").toString("utf8")), chance);
  return `${Buffer.from(JSON.stringify(key) ?? "").toString("base64url")}.${signature}`;
}

function makeHeaders({ route }: Target, chance: Chance): Pick<Call, "headers" | "tenant"> {
  const headers: Record<string, string> = {
    host: "127.0.0.1:3000",
    "content-type": chance.oneIn(12)
      ? chance.pick([
          "text/plain",
          "application/json; charset=utf-16",
          "application/json;;",
          "multipart/form-data",
          "",
        ])
      : "application/json",
  };
  const isPublicApi = route.includes("/v1/");
  const caller = chance.oneIn(2) ? null : chance.pick(limited.filter(({ isKey }) => isKey === isPublicApi));
  if (caller) headers[caller.header[0]] = caller.header[1];
  else {
    if (isPublicApi || chance.oneIn(10)) headers.authorization = `Bearer ${api.key}`;
    if (!isPublicApi || chance.oneIn(10)) headers.cookie = cookie;
  }
  if (chance.oneIn(10)) {
    const [name, value] = chance.pick([
      ["authorization", `Bearer ${"x".repeat(600)}`],
      ["authorization", "Basic \u00ff\u00fe"],
      ["cookie", `${cookie}x`],
      ["cookie", "posthorn.session_token=%ff.%"],
      ["host", "evil.example"],
      ["host", "[::1]:99999"],
      ["origin", "null"],
      ["origin", "http://127.0.0.1:3000"],
      ["origin", "http://[::1"],
      ["sec-fetch-site", "cross-site"],
      ["content-length", "99999999999"],
      ["content-length", "-1"],
      ["content-encoding", "gzip"],
      ["accept", "text/html"],
      ["x-forwarded-proto", "https"],
      ["content-type", "application/json\u00ff"],
    ] as const);
    // Not of somebody else, or it would be theirs to read.
    headers[name] = name === "cookie" && caller ? `${caller.header[1]}x` : value;
  }
  return { headers: Object.entries(headers), tenant: caller?.tenant ?? null };
}

function makeBody({ route }: Target, chance: Chance): Body {
  if (chance.oneIn(15))
    return chance.pick(["", "null", "[]", "{", "[".repeat(5_000), "\ufeff{}", '{"a":1,"a":2}', "1e999"]);
  let value = chance.oneIn(20) ? awkwardValue(chance) : chance.pick(bodies[bodyKey(route)] ?? [{}]);
  for (let n = chance.below(4); n > 0; n--) value = mutate(value, chance);
  const text = JSON.stringify(value);
  if (!chance.oneIn(12)) return text;
  const bytes = new TextEncoder().encode(mutateText(text, chance));
  if (bytes.length > 0) bytes[chance.below(bytes.length)] = chance.below(256);
  return bytes;
}
