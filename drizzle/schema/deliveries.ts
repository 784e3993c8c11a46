import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  primaryKey,
  real,
  text,
  timestamp,
  uuid,
} from "drizzle-orm/pg-core";
import { attemptOutcome, bytea, deliveryState, httpMethod, posthorn, reason } from "./namespace.ts";

/**
 * One event for one endpoint. Hot: no payload, and few indexes, since every claim and settlement writes
 * into each that applies. Not partitioned: partitions cost a quarter to two thirds more here.
 */
export const deliveries = posthorn.table(
  "deliveries",
  {
    /** Rises in order of acceptance, so it is order key and cursor as well. */
    id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    eventId: text("event_id").notNull(),
    eventReceivedAt: timestamp("event_received_at", { withTimezone: true, precision: 3 }).notNull(),
    eventType: text("event_type").notNull(),
    affiliateId: uuid("affiliate_id").notNull(),
    endpointId: uuid("endpoint_id").notNull(),
    state: deliveryState().notNull().default("pending"),
    /** Waits behind another delivery of its ordering key (lib/queue/ordering.ts); outside the due index. */
    blocked: boolean().notNull().default(false),
    /** The event's, where the endpoint keeps an order; else null, so that it is in no index by key. */
    orderingKey: text("ordering_key"),
    /** Number of the latest attempt; goes on rising after a resend. */
    attemptNumber: integer("attempt_number").notNull().default(0),
    /** Attempts charged against the endpoint's limit since the delivery was made or put back. */
    attemptsCharged: integer("attempts_charged").notNull().default(0),
    /** Attempts in a row whose worker died. */
    lostInARow: integer("lost_in_a_row").notNull().default(0),
    nextAttemptAt: timestamp("next_attempt_at", { withTimezone: true }).notNull().defaultNow(),
    leasedBy: bigint("leased_by", { mode: "bigint" }),
    /** One per claim; whoever settles must show it. */
    leaseToken: bigint("lease_token", { mode: "bigint" }),
    reason: reason(),
    lastStatus: integer("last_status"),
    lastAttemptAt: timestamp("last_attempt_at", { withTimezone: true }),
    lastDurationMs: real("last_duration_ms"),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
    deliveredAt: timestamp("delivered_at", { withTimezone: true }),
    endedAt: timestamp("ended_at", { withTimezone: true }),
  },
  (t) => [
    index("deliveries_due")
      .on(t.endpointId, t.nextAttemptAt, t.id)
      .where(sql`${t.state} in ('pending', 'failed') and not ${t.blocked}`),
    index("deliveries_leased").on(t.leasedBy).where(sql`${t.state} = 'in_flight'`),
    index("deliveries_endpoint").on(t.endpointId, t.id),
    index("deliveries_event").on(t.eventId, t.endpointId),
    index("deliveries_state")
      .on(t.state, t.id)
      .where(sql`${t.state} in ('pending', 'failed', 'dead_letter', 'skipped', 'discarded')`),
    // For filters that a delivery fails which went out smoothly, and never costs such a one an entry. All that is
    // filtered by stands in it, so that a walk without a match touches no table.
    index("deliveries_troubled")
      .on(t.id, t.state, t.reason, t.lastStatus, t.attemptNumber, t.affiliateId, t.endpointId, t.eventType)
      .where(
        sql`${t.reason} is not null or ${t.attemptNumber} > 1 or ${t.lastStatus} >= 300 or ${t.state} in ('failed', 'dead_letter', 'skipped', 'discarded')`,
      ),
    // A row of an endpoint without an order is in none of the next three, and one with an order in one of the first two:
    // what a later one waits for, apart from what ended, which may be a million of one key.
    index("deliveries_key_unfinished")
      .on(t.endpointId, t.orderingKey, t.id)
      .where(sql`${t.orderingKey} is not null and ${t.state} in ('pending', 'in_flight', 'failed')`),
    // For how far a key has moved on.
    index("deliveries_key_ended")
      .on(t.endpointId, t.orderingKey, t.id)
      .where(sql`${t.orderingKey} is not null and ${t.state} in ('delivered', 'dead_letter', 'discarded')`),
    // For the sweep and the counts.
    index("deliveries_blocked")
      .on(t.endpointId, t.orderingKey, t.id)
      .where(sql`${t.blocked} and ${t.state} in ('pending', 'failed')`),
    // Holds all that dead letters are counted, listed and grouped by, so that none of that reads the table itself.
    index("deliveries_dead_letters")
      .on(t.endedAt, t.id, t.endpointId, t.reason, t.lastStatus, t.eventType, t.attemptsCharged, t.eventId)
      .where(sql`${t.state} = 'dead_letter'`),
    index("deliveries_endpoint_dead").on(t.endpointId, t.id).where(sql`${t.state} = 'dead_letter'`),
  ],
);

/**
 * A postback's URL and body as they were rendered when the delivery was made, secrets still as macros: what every
 * attempt sends. Partitioned by day of the event's received_at; dropped with the bodies.
 */
export const deliveryRequests = posthorn.table(
  "delivery_requests",
  {
    deliveryId: bigint("delivery_id", { mode: "bigint" }).notNull(),
    receivedAt: timestamp("received_at", { withTimezone: true, precision: 3 }).notNull(),
    method: httpMethod().notNull(),
    url: text().notNull(),
    contentType: text("content_type"),
    body: text(),
  },
  (t) => [primaryKey({ columns: [t.deliveryId, t.receivedAt] })],
);

/** One request made for a delivery. Partitioned by month of started_at. */
export const deliveryAttempts = posthorn.table(
  "delivery_attempts",
  {
    deliveryId: bigint("delivery_id", { mode: "bigint" }).notNull(),
    number: integer().notNull(),
    startedAt: timestamp("started_at", { withTimezone: true, precision: 3 }).notNull(),
    endpointId: uuid("endpoint_id").notNull(),
    outcome: attemptOutcome().notNull(),
    reason: reason(),
    status: integer(),
    errorCode: text("error_code"),
    /** Phases in milliseconds; the first three are null on a reused connection. */
    dnsMs: real("dns_ms"),
    connectMs: real("connect_ms"),
    tlsMs: real("tls_ms"),
    firstByteMs: real("first_byte_ms"),
    durationMs: real("duration_ms"),
    /** Its result came after the lease was lost, so it decided nothing. */
    late: boolean().notNull().default(false),
    workerId: bigint("worker_id", { mode: "bigint" }),
  },
  (t) => [primaryKey({ columns: [t.deliveryId, t.number, t.startedAt] })],
);

/** What was sent where, and what came back. Partitioned by day of started_at; dropped with the bodies. */
export const attemptResponses = posthorn.table(
  "attempt_responses",
  {
    deliveryId: bigint("delivery_id", { mode: "bigint" }).notNull(),
    number: integer().notNull(),
    startedAt: timestamp("started_at", { withTimezone: true, precision: 3 }).notNull(),
    url: text().notNull(),
    /** Alternating names and values as a JSON array; null when no response came. */
    headers: text(),
    body: bytea(),
    bodyTruncated: boolean("body_truncated").notNull().default(false),
  },
  (t) => [primaryKey({ columns: [t.deliveryId, t.number, t.startedAt] })],
);
