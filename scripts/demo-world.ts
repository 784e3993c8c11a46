import type { z } from "zod";
import type { EndpointCreate } from "#lib/endpoints/schema.ts";
import type { eventTypeCreate } from "#lib/event-types/schema.ts";

/** How an endpoint's server behaves in the demo. */
export type Behaviour =
  | "healthy"
  | "slow"
  | "flaky"
  | "down"
  | "unauthorized"
  | "rate_limited"
  | "gone"
  | "redirecting"
  | "hanging"
  | "refusing";

export const behaviourWords = {
  healthy: "answers 200 within 60 ms",
  slow: "answers 200 after 300 to 1,500 ms",
  flaky: "answers 500 or 503 to three in ten",
  down: "refuses connections",
  unauthorized: "answers 401",
  rate_limited: "takes one in 2 s, answers 429 to the rest",
  gone: "answers 410",
  redirecting: "answers 301",
  hanging: "never answers",
  refusing: "answers 200 with an error in its body to one in four",
} satisfies Record<Behaviour, string>;

export const demoPlayersAffiliates = [
  { key: "lucky-fjord", name: "Lucky Fjord Media" },
  { key: "odds-harbour", name: "Odds Harbour" },
  { key: "spinwise", name: "Spinwise Partners" },
  { key: "reel-review", name: "Reel Review Network" },
  { key: "tipster-lane", name: "Tipster Lane" },
  { key: "ace-traffic", name: "Ace Traffic" },
];
/** Nothing is published for these: they have a past, and what is put back now arrives. */
export const demoHistoryAffiliates = [
  { key: "north-lagoon", name: "North Lagoon Media" },
  { key: "cardinal-bets", name: "Cardinal Bets" },
];
export const demoCustomersAffiliates = [
  { key: "brightledger", name: "Brightledger" },
  { key: "hivedesk", name: "Hivedesk" },
];

type DemoField = NonNullable<z.input<typeof eventTypeCreate>["fields"]>[number];

const customerFields: DemoField[] = [
  { ...text("user_id", "usr_7f3a9c21d4"), required: true, searchable: true },
  text("plan", "team"),
  { name: "occurred_at", kind: "timestamp", example: "2026-01-31T12:00:00Z" },
];

export const demoEventTypes: z.input<typeof eventTypeCreate>[] = [
  { name: "registration", description: "A player signed up through an affiliate's link" },
  { name: "ftd", description: "A player's first deposit" },
  { name: "deposit", description: "A later deposit" },
  { name: "qualified", description: "A player met the terms of the offer; the conversion awaits approval" },
  { name: "conversion.approved", description: "A conversion was approved and will be paid" },
  { name: "conversion.declined", description: "A conversion was declined" },
  { name: "conversion.reversed", description: "An approved conversion was taken back" },
  { name: "user.created", description: "A user was created", fields: customerFields },
  {
    name: "invoice.paid",
    description: "An invoice was paid",
    fields: [
      ...customerFields,
      { ...text("invoice_id", "inv_20418"), required: true, searchable: true },
      { name: "amount", kind: "decimal", example: "99.00", required: true, sensitive: true },
      text("currency", "EUR"),
    ],
  },
  {
    name: "subscription.canceled",
    description: "A subscription was cancelled",
    fields: [...customerFields, text("reason", "no_longer_needed")],
  },
];

function text(name: string, example: string): DemoField {
  return { name, kind: "string", example };
}

export type DemoEndpoint = Pick<EndpointCreate, "affiliate" | "name"> &
  Partial<
    Pick<
      EndpointCreate,
      | "kind"
      | "postback"
      | "macro_secrets"
      | "event_types"
      | "filters"
      | "timeout_ms"
      | "retry"
      | "concurrency"
      | "response_rules"
    >
  > & {
    behaviour: Behaviour;
    path: string;
    /** What follows the path: a postback's template. */
    query?: string;
  };

/** So short that retries and dead letters can be watched. */
const retry = { max_attempts: 4, base_seconds: 2, cap_seconds: 15 };
const conversions = ["conversion.approved", "conversion.declined", "conversion.reversed"];

export const demoEndpoints: DemoEndpoint[] = [
  endpoint("lucky-fjord", "Conversion tracker", "healthy"),
  endpoint("lucky-fjord", "Analytics mirror", "slow", { retry }),
  endpoint("odds-harbour", "Main tracker", "healthy"),
  endpoint("odds-harbour", "Player journal", "flaky", { retry }),
  endpoint("spinwise", "Conversion tracker", "healthy", {
    event_types: ["ftd", "qualified", ...conversions],
  }),
  endpoint("spinwise", "Data warehouse", "down", { retry, event_types: ["ftd", "deposit"] }),
  endpoint("reel-review", "Postback gateway", "rate_limited", { retry }),
  endpoint("tipster-lane", "Conversion tracker", "unauthorized", { retry, event_types: conversions }),
  endpoint("ace-traffic", "New tracker", "healthy"),
  endpoint("ace-traffic", "Old tracker", "gone", { retry, event_types: ["registration", "ftd"] }),
  endpoint("lucky-fjord", "Tracker postback", "healthy", {
    ...postback("?cid={click_id}&payout={payout}&cur={currency}&txid={conversion_id}"),
    event_types: ["ftd", "conversion.approved"],
  }),
  endpoint("odds-harbour", "Signed postback", "flaky", {
    ...postback(
      "?clickid={click_id}&goal={goal|none}&sum={payout}&st={status:map(approved=1,declined=3,reversed=4)}",
      {
        sign: true,
      },
    ),
    retry,
    event_types: conversions,
    filters: [{ field: "payout", is: "at_least", value: "20" }],
  }),
  endpoint("ace-traffic", "Partner postback", "refusing", {
    ...postback("?click={click_id}&revenue={payout}&token={secret.token}"),
    retry,
    event_types: ["conversion.approved"],
    macro_secrets: [{ name: "token", value: "demo-token" }],
    response_rules: [{ kind: "body_does_not_contain", text: "error", retry: false }],
  }),
  endpoint("brightledger", "Billing sync", "healthy"),
  endpoint("brightledger", "CRM", "redirecting", { retry, event_types: ["user.created"] }),
  endpoint("hivedesk", "Lifecycle hooks", "slow", { retry }),
  // It holds a slot for the whole timeout, so it gets little, briefly.
  endpoint("hivedesk", "Provisioning", "hanging", {
    retry: { ...retry, max_attempts: 3 },
    event_types: ["user.created"],
    timeout_ms: 2_000,
  }),
  ...["Conversion feed", "CRM webhooks", "Traffic intake", "Partner mirror", "Sign-up feed"].map((name) =>
    endpoint("north-lagoon", name, "healthy"),
  ),
  ...["Ledger sync", "Old tracker", "Compliance archive", "Player journal", "Data lake"].map((name) =>
    endpoint("cardinal-bets", name, "healthy"),
  ),
];

function postback(query: string, { sign = false } = {}): Pick<DemoEndpoint, "kind" | "postback" | "query"> {
  return { kind: "postback", query, postback: { method: "GET", content_type: null, body: null, sign } };
}

function endpoint(
  affiliate: string,
  name: string,
  behaviour: Behaviour,
  rest: Partial<DemoEndpoint> = {},
): DemoEndpoint {
  return {
    affiliate,
    name,
    behaviour,
    path: `/${affiliate}/${name.toLowerCase().replaceAll(" ", "-")}`,
    ...rest,
  };
}
