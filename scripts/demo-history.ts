import type pg from "pg";
import { histogramOf } from "#lib/delivery/latency.ts";
import type { Reason } from "#lib/vocabulary.ts";
import { demoEndpoints } from "./demo-world.ts";

export const pastWords =
  "The dead letters of North Lagoon Media and Cardinal Bets are a made-up past, written straight into the database.";

/** Dead letters of an endpoint, all with the same answer. Times are hours before now. */
type Fault = {
  reason: Reason;
  status: number | null;
  eventType: string;
  agoHours: number[];
  attempts: number;
};

type Past = {
  affiliate: string;
  name: string;
  faults: Fault[];
  /** What was delivered in the hour that began so many hours ago. */
  delivered: (agoHours: number) => number;
  /** How long its answers take. */
  typicalMs: number;
};

const historyHours = 240;
/** `count` times, from one time to another. */
const spread = (count: number, fromHours: number, toHours: number): number[] =>
  Array.from({ length: count }, (_, n) => fromHours + ((toHours - fromHours) * n) / Math.max(1, count - 1));
const always = (count: number) => () => count;
const until = (agoHours: number, count: number) => (ago: number) => (ago > agoHours ? count : 0);
const fault = (
  reason: Reason,
  status: number | null,
  eventType: string,
  agoHours: number[],
  attempts = 1,
): Fault => ({ reason, status, eventType, agoHours, attempts });

/** Each pattern that dead letters can show, and an endpoint whose few show none. */
export const demoPasts: Past[] = [
  {
    affiliate: "north-lagoon",
    name: "Conversion feed",
    faults: [
      fault("connection_refused", null, "conversion.approved", spread(240, 70.6, 70), 5),
      fault("server_error", 503, "conversion.approved", spread(100, 70.1, 69.8), 5),
    ],
    delivered: (ago) => (ago > 69 && ago < 72 ? 0 : 400),
    typicalMs: 60,
  },
  {
    affiliate: "north-lagoon",
    name: "CRM webhooks",
    faults: [
      fault("unauthorized", 401, "registration", spread(18, 52, 30)),
      fault("unauthorized", 401, "registration", spread(96, 24, 0.2)),
      fault("forbidden", 403, "registration", spread(6, 20, 1)),
    ],
    delivered: until(53, 40),
    typicalMs: 110,
  },
  {
    affiliate: "north-lagoon",
    name: "Traffic intake",
    faults: [fault("rate_limited", 429, "deposit", spread(90, 30, 3), 5)],
    delivered: (ago) => (ago > 2 && ago < 32 ? 900 : 300),
    typicalMs: 45,
  },
  {
    affiliate: "north-lagoon",
    name: "Partner mirror",
    faults: [fault("timeout", null, "ftd", spread(28, 9 * 24, 5), 5)],
    delivered: always(60),
    typicalMs: 700,
  },
  {
    affiliate: "north-lagoon",
    name: "Sign-up feed",
    faults: [
      fault("server_error", 500, "registration", [100, 31], 5),
      fault("not_found", 404, "registration", [80, 12, 11]),
      fault("client_error", 451, "registration", [8]),
    ],
    delivered: always(30),
    typicalMs: 80,
  },
  {
    affiliate: "cardinal-bets",
    name: "Ledger sync",
    faults: [
      fault("payload_refused", 422, "deposit", spread(48, 40, 1)),
      fault("bad_request", 400, "ftd", [33, 12]),
    ],
    delivered: always(55),
    typicalMs: 90,
  },
  {
    affiliate: "cardinal-bets",
    name: "Old tracker",
    faults: [fault("not_found", 404, "conversion.approved", spread(64, 96, 0.5))],
    delivered: until(97, 12),
    typicalMs: 70,
  },
  {
    affiliate: "cardinal-bets",
    name: "Compliance archive",
    faults: [fault("certificate_invalid", null, "deposit", spread(22, 20, 0.4))],
    delivered: until(21, 9),
    typicalMs: 130,
  },
  ...["Player journal", "Data lake"].map((name) => ({
    affiliate: "cardinal-bets",
    name,
    faults: [],
    delivered: always(80),
    typicalMs: 50,
  })),
];

/** One event that both of these take as badly. */
const poison = {
  affiliate: "cardinal-bets",
  names: ["Player journal", "Data lake"],
  fault: fault("server_error", 500, "conversion.declined", [26], 5),
};

type Letter = Omit<Fault, "agoHours"> & { endpointId: string; eventId: string; agoHours: number };

/** An endpoint's path in the demo, by which its id is remembered. */
export function demoPath(affiliate: string, name: string): string {
  return demoEndpoints.find((one) => one.affiliate === affiliate && one.name === name)?.path ?? "";
}

/**
 * Writes the past of the demo's endpoints straight into the tables: nobody can wait nine days for a slow accumulation.
 * Always the same but for the present that it ends in. Returns false, and writes nothing, where it is there already.
 */
export async function writeDemoHistory(
  client: pg.ClientBase,
  idOf: (path: string) => string | undefined,
): Promise<boolean> {
  const known = await client.query("select from posthorn.event_keys where id like 'demo-past-%' limit 1");
  if (known.rowCount) return false;
  const letters: Letter[] = [];
  await client.query("begin");
  try {
    for (const past of demoPasts) {
      const endpointId = idOf(demoPath(past.affiliate, past.name));
      if (endpointId === undefined) continue;
      await writeHours(client, endpointId, past);
      letters.push(
        ...past.faults.flatMap(({ agoHours, ...rest }) =>
          agoHours.map((ago) => ({ ...rest, endpointId, agoHours: ago, eventId: "" })),
        ),
      );
    }
    for (const name of poison.names) {
      const endpointId = idOf(demoPath(poison.affiliate, name));
      const { agoHours, ...rest } = poison.fault;
      if (endpointId !== undefined)
        letters.push({ ...rest, endpointId, agoHours: agoHours[0] ?? 0, eventId: "demo-past-poison" });
    }
    await writeLetters(client, letters);
    await client.query("commit");
    return true;
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

/** Hour by hour what was delivered, as the workers would have counted it, and when it last was. */
async function writeHours(client: pg.ClientBase, endpointId: string, past: Past): Promise<void> {
  const hours = Array.from({ length: historyHours }, (_, ago) => ({ ago, delivered: past.delivered(ago) }));
  const histogramFor = (delivered: number) =>
    histogramOf(Array.from({ length: delivered }, (_, n) => past.typicalMs * (0.7 + (n % 10) / 15)));
  const rows = hours
    .filter(({ delivered }) => delivered > 0)
    .map(({ ago, delivered }) => ({ ago, delivered, ...histogramFor(delivered) }));
  await client.query(
    `insert into posthorn.endpoint_latency
       (resolution, bucket_at, endpoint_id, worker_id, attempts, delivered, buckets, counts)
     select 'hour', date_trunc('hour', now(), 'UTC') - r.ago * interval '1 hour', $1, 0, r.delivered, r.delivered,
       r.buckets, r.counts
     from json_to_recordset($2) as r (ago int, delivered int, buckets smallint[], counts int[])`,
    [endpointId, JSON.stringify(rows)],
  );
  const last = rows[0]?.ago ?? null;
  await client.query(
    `update posthorn.endpoint_health set last_success_at = now() - $2 * interval '1 hour' where endpoint_id = $1`,
    [endpointId, last],
  );
}

/** Events with their data, the deliveries that were given up, and each of their attempts; the earliest first. */
async function writeLetters(client: pg.ClientBase, letters: Letter[]): Promise<void> {
  const rows = letters
    .sort((a, b) => b.agoHours - a.agoHours)
    .map((letter, n) => {
      const eventId = letter.eventId || `demo-past-${n + 1}`;
      const data = JSON.stringify({
        click_id: `clk_past_${n + 1}`,
        conversion_id: `cnv_past_${n + 1}`,
        payout: "45.00",
        currency: "EUR",
        country: ["SE", "NO", "FI"][n % 3],
      });
      return { ...letter, n, eventId, data: Buffer.from(data).toString("hex") };
    });
  await client.query(
    `with given as materialized (
       select g.*, e.affiliate_id, decode(g.data, 'hex') as bytes,
         date_trunc('milliseconds', now() - g."agoHours" * interval '1 hour') as ended_at,
         -- Each attempt a minute and a half after the one before.
         date_trunc('milliseconds', now() - g."agoHours" * interval '1 hour'
           - g.attempts * interval '90 seconds') as received_at
       from json_to_recordset($1) as g (n int, "endpointId" uuid, "eventId" text, reason posthorn.reason, status int,
         "eventType" text, "agoHours" double precision, attempts int, data text)
       join posthorn.endpoints e on e.id = g."endpointId"
     ), event as materialized (select distinct on ("eventId") * from given order by "eventId", n),
     key as (
       insert into posthorn.event_keys (id, content_hash, received_at)
       select "eventId", posthorn.event_hash("eventType", affiliate_id, null, null, bytes), received_at from event
     ), fact as (
       insert into posthorn.events (id, received_at, affiliate_id, type, occurred_at, data_bytes)
       select "eventId", received_at, affiliate_id, "eventType", received_at, octet_length(bytes) from event
     ), body as (
       insert into posthorn.event_bodies (event_id, received_at, type, occurred_at, data)
       select "eventId", received_at, "eventType", received_at, bytes from event
     ), delivery as (
       insert into posthorn.deliveries (event_id, event_received_at, event_type, affiliate_id, endpoint_id, state,
         attempt_number, attempts_charged, next_attempt_at, reason, last_status, last_attempt_at, last_duration_ms,
         created_at, ended_at)
       select g."eventId", e.received_at, g."eventType", g.affiliate_id, g."endpointId", 'dead_letter', g.attempts,
         g.attempts, g.ended_at, g.reason, g.status, g.ended_at, 40, e.received_at, g.ended_at
       from given g join event e on e."eventId" = g."eventId" order by g.n
       returning id, event_id, endpoint_id, reason, last_status, attempt_number, ended_at
     )
     insert into posthorn.delivery_attempts (delivery_id, number, started_at, endpoint_id, outcome, reason, status,
       duration_ms, first_byte_ms)
     select id, number, ended_at - (attempt_number - number) * interval '90 seconds', endpoint_id,
       case when attempt_number = 1 then 'permanent' else 'transient' end::posthorn.attempt_outcome, reason,
       last_status, 40, case when last_status is null then null else 38 end
     from delivery, generate_series(1, attempt_number) number`,
    [JSON.stringify(rows)],
  );
}
