import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  doublePrecision,
  index,
  integer,
  json,
  jsonb,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import type { Reason, RequeueRefusal, RequeueSource, StatusClass } from "#lib/vocabulary.ts";
import { affiliates } from "./affiliates.ts";
import {
  actorKind,
  bytea,
  keyPurpose,
  posthorn,
  requeueMode,
  requeueOperation,
  requeueState,
} from "./namespace.ts";

/** A worker's lease covers everything that it holds: renewing it rewrites one row, not one per delivery. */
export const workers = posthorn.table("workers", {
  id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
  hostname: text().notNull(),
  pid: integer().notNull(),
  version: text().notNull(),
  startedAt: timestamp("started_at", { withTimezone: true }).notNull().defaultNow(),
  heartbeatAt: timestamp("heartbeat_at", { withTimezone: true }).notNull().defaultNow(),
  leaseUntil: timestamp("lease_until", { withTimezone: true }).notNull(),
  /** At its clean exit; one whose lease ran out without it was lost. */
  stoppedAt: timestamp("stopped_at", { withTimezone: true }),
  /** What it did in the minute before its latest heartbeat. */
  claimedLastMinute: integer("claimed_last_minute").notNull().default(0),
  settledLastMinute: integer("settled_last_minute").notNull().default(0),
});

/** Only the hash is kept; the key itself is shown once. */
export const apiKeys = posthorn.table(
  "api_keys",
  {
    id: uuid().primaryKey(),
    name: text().notNull(),
    prefix: text().notNull(),
    keyHash: bytea("key_hash").notNull(),
    purpose: keyPurpose().notNull(),
    /** A key to read with may be limited to what is this affiliate's. */
    affiliateId: uuid("affiliate_id").references(() => affiliates.id),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
    createdBy: text("created_by").notNull(),
    expiresAt: timestamp("expires_at", { withTimezone: true }),
    /** To the minute. No index has it, so that writing it stays within the row's page. */
    lastUsedAt: timestamp("last_used_at", { withTimezone: true }),
    revokedAt: timestamp("revoked_at", { withTimezone: true }),
  },
  (t) => [
    uniqueIndex("api_keys_hash").on(t.keyHash),
    check("api_keys_affiliate", sql`${t.affiliateId} is null or ${t.purpose} = 'read'`),
  ],
);

/** Read by every one of its filters, newest first; written by people, who are slow: indexes are cheap here. */
export const auditLog = posthorn.table(
  "audit_log",
  {
    id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    at: timestamp({ withTimezone: true }).notNull().defaultNow(),
    actorKind: actorKind("actor_kind").notNull(),
    actorId: text("actor_id"),
    actorName: text("actor_name").notNull(),
    /** Where the call came from; null for what Posthorn does by itself. */
    address: text(),
    userAgent: text("user_agent"),
    action: text().notNull(),
    objectKind: text("object_kind").notNull(),
    objectId: text("object_id").notNull(),
    affiliateId: uuid("affiliate_id"),
    /** Only the fields that changed, and never a secret. */
    before: jsonb(),
    after: jsonb(),
  },
  (t) => [
    index("audit_log_object_id").on(t.objectId, t.id),
    index("audit_log_object_kind").on(t.objectKind, t.id),
    index("audit_log_action").on(t.action, t.id),
    index("audit_log_actor").on(t.actorId, t.id),
    index("audit_log_actor_kind").on(t.actorKind, t.id),
    index("audit_log_affiliate").on(t.affiliateId, t.id),
    index("audit_log_at").on(t.at),
  ],
);

/** What each worker did in each minute, written with its settlements: the overview's last hour without a scan. */
export const deliveryMinutes = posthorn.table(
  "delivery_minutes",
  {
    minute: timestamp({ withTimezone: true }).notNull(),
    workerId: bigint("worker_id", { mode: "bigint" }).notNull(),
    delivered: integer().notNull(),
    failed: integer().notNull(),
    deadLetters: integer("dead_letters").notNull(),
    deliveredMsSum: doublePrecision("delivered_ms_sum").notNull(),
  },
  (t) => [primaryKey({ columns: [t.minute, t.workerId] })],
);

/** Which deliveries a requeue takes, as it was frozen; a member that is missing narrows nothing. */
export type RequeueFilter = {
  /** These and no others; then nothing else is given. */
  ids?: string[];
  states?: RequeueSource[];
  endpoint?: string;
  affiliateId?: string;
  eventType?: string;
  /** Any of these. */
  reasons?: Reason[];
  status?: number;
  statusClass?: StatusClass;
  /** Failed, or held, from this time on and before that one. ISO 8601. */
  from?: string;
  to?: string;
};

/** A delivery that was left as it was; `reason` is what its template failed with. */
export type RequeueLeft = { delivery: string; why: RequeueRefusal; reason: Reason | null };

/** Deliveries that are put back or discarded together, by the worker, a batch after the other. */
export const requeues = posthorn.table(
  "requeues",
  {
    id: uuid().primaryKey(),
    operation: requeueOperation().notNull(),
    mode: requeueMode().notNull(),
    state: requeueState().notNull().default("pending"),
    /** Not jsonb, which would give it back in an order of its own. */
    filter: json().$type<RequeueFilter>().notNull(),
    /** Whom it concerns where that is one affiliate alone. */
    affiliateId: uuid("affiliate_id"),
    /** What failed after this time, or has an id above `last_id`, is not in it. */
    asOf: timestamp("as_of", { withTimezone: true, precision: 3 }).notNull(),
    lastId: bigint("last_id", { mode: "bigint" }).notNull(),
    /** The last id that was dealt with. */
    cursor: bigint({ mode: "bigint" }).notNull().default(sql`0`),
    ratePerSecond: doublePrecision("rate_per_second"),
    reason: text().notNull(),
    /** The caller's own, so that a repeated call makes nothing new. */
    requestId: uuid("request_id"),
    actorKind: actorKind("actor_kind").notNull(),
    actorId: text("actor_id"),
    actorName: text("actor_name").notNull(),
    cancelledBy: text("cancelled_by"),
    total: integer().notNull(),
    done: integer().notNull().default(0),
    /** How many were left as they were, by why. */
    refused: jsonb().$type<Partial<Record<RequeueRefusal, number>>>().notNull().default({}),
    /** How many could not be rendered again, by the reason. */
    failed: jsonb().$type<Partial<Record<Reason, number>>>().notNull().default({}),
    /** The first of both. */
    sample: jsonb().$type<RequeueLeft[]>().notNull().default([]),
    /** Faults of ours in a row. */
    faults: integer().notNull().default(0),
    nextBatchAt: timestamp("next_batch_at", { withTimezone: true }).notNull().defaultNow(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
    startedAt: timestamp("started_at", { withTimezone: true }),
    endedAt: timestamp("ended_at", { withTimezone: true }),
  },
  (t) => [
    uniqueIndex("requeues_request").on(t.requestId),
    index("requeues_affiliate").on(t.affiliateId, t.id),
    index("requeues_active").on(t.nextBatchAt).where(sql`${t.state} in ('pending', 'running')`),
  ],
);

/** The deliveries that a requeue put back, by batch and so by their last id: one row for up to 500 of them. */
export const requeueBatches = posthorn.table(
  "requeue_batches",
  {
    requeueId: uuid("requeue_id")
      .notNull()
      .references(() => requeues.id, { onDelete: "cascade" }),
    lastId: bigint("last_id", { mode: "bigint" }).notNull(),
    ids: bigint({ mode: "bigint" }).array().notNull(),
  },
  (t) => [primaryKey({ columns: [t.requeueId, t.lastId] })],
);
