import { bigint, boolean, index, integer, primaryKey, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { bytea, posthorn } from "./namespace.ts";

/**
 * Uniqueness of event ids, which a partitioned table cannot give, and the hash of what the id stands for.
 * Outlives the body, so that an id never means something else later.
 */
export const eventKeys = posthorn.table("event_keys", {
  id: text().primaryKey(),
  contentHash: bytea("content_hash").notNull(),
  /** Milliseconds, like every received_at, so that it survives JavaScript unchanged. */
  receivedAt: timestamp("received_at", { withTimezone: true, precision: 3 }).notNull(),
});

/** Partitioned by month of received_at (see the migration). */
export const events = posthorn.table(
  "events",
  {
    id: text().notNull(),
    receivedAt: timestamp("received_at", { withTimezone: true, precision: 3 }).notNull(),
    affiliateId: uuid("affiliate_id").notNull(),
    type: text().notNull(),
    occurredAt: timestamp("occurred_at", { withTimezone: true, precision: 3 }).notNull(),
    orderingKey: text("ordering_key"),
    dataBytes: integer("data_bytes").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.id, t.receivedAt] }),
    index("events_received").on(t.receivedAt, t.id),
    index("events_affiliate").on(t.affiliateId, t.receivedAt, t.id),
    index("events_type").on(t.type, t.receivedAt, t.id),
    index("events_affiliate_type").on(t.affiliateId, t.type, t.receivedAt, t.id),
  ],
);

/**
 * The bytes that an event was given with, and the three facts that a webhook's envelope needs, so that
 * sending reads one row. Partitioned by day of received_at; dropped when the retention of bodies ends.
 */
export const eventBodies = posthorn.table(
  "event_bodies",
  {
    eventId: text("event_id").notNull(),
    receivedAt: timestamp("received_at", { withTimezone: true, precision: 3 }).notNull(),
    type: text().notNull(),
    occurredAt: timestamp("occurred_at", { withTimezone: true, precision: 3 }).notNull(),
    data: bytea().notNull(),
  },
  (t) => [primaryKey({ columns: [t.eventId, t.receivedAt] })],
);

/** Accepted and not yet fanned out, in order of acceptance. */
export const eventOutbox = posthorn.table("event_outbox", {
  seq: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity({ cache: 1 }),
  eventId: text("event_id").notNull(),
  receivedAt: timestamp("received_at", { withTimezone: true, precision: 3 }).notNull(),
  affiliateId: uuid("affiliate_id").notNull(),
  type: text().notNull(),
  orderingKey: text("ordering_key"),
  /** Its data have been held against its event type; what comes through SQL is, by the fan-out. */
  checked: boolean().notNull().default(false),
  /** How much the fan-out reads with it. */
  dataBytes: integer("data_bytes").notNull(),
});

/**
 * What an event can be found by: keyed hashes of its searchable values (lib/search/hash.ts), never the values, so they
 * outlive its data. Partitioned by month of received_at, like events, so that both end by dropping a table: their keys
 * are random, and deleting them one by one would touch a page each. A search looks into each month, at most 15.
 */
export const searchKeys = posthorn.table(
  "search_keys",
  {
    key: bytea().notNull(),
    eventId: text("event_id").notNull(),
    receivedAt: timestamp("received_at", { withTimezone: true, precision: 3 }).notNull(),
  },
  (t) => [index("search_keys_key").on(t.key, t.receivedAt)],
);
