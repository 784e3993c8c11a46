import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, json, text, timestamp, uuid } from "drizzle-orm/pg-core";
import type { PostbackContentType } from "#lib/vocabulary.ts";
import { affiliates } from "./affiliates.ts";
import {
  breakerCause,
  breakerState,
  bytea,
  endpointKind,
  endpointStatus,
  httpMethod,
  ordering,
  posthorn,
  reason,
} from "./namespace.ts";

export const endpoints = posthorn.table(
  "endpoints",
  {
    id: uuid().primaryKey(),
    affiliateId: uuid("affiliate_id")
      .notNull()
      .references(() => affiliates.id),
    kind: endpointKind().notNull().default("webhook"),
    name: text().notNull(),
    /** A webhook's URL, or a postback's template of one. */
    url: text().notNull(),
    method: httpMethod().notNull().default("POST"),
    /** A postback's template of a body, and what it is; both null without one. */
    bodyTemplate: text("body_template"),
    contentType: text("content_type").$type<PostbackContentType>(),
    /** A GET postback ends in `sig=`. */
    signUrl: boolean("sign_url").notNull().default(false),
    /** Which events it wants, by their fields (lib/delivery/filters.ts). */
    filters: json().$type<unknown[]>().notNull().default([]),
    /** Null subscribes to every event type. */
    eventTypes: text("event_types").array(),
    status: endpointStatus().notNull().default("active"),
    statusChangedAt: timestamp("status_changed_at", { withTimezone: true }).notNull().defaultNow(),
    statusChangedBy: text("status_changed_by").notNull(),
    /** Its affiliate's own users may not lift what others paused. */
    pausedByAffiliate: boolean("paused_by_affiliate").notNull().default(false),
    /** Its server said 410 for this URL: with the URL unchanged, its affiliate may not resume it. */
    goneUrl: text("gone_url"),
    timeoutMs: integer("timeout_ms").notNull().default(15_000),
    maxAttempts: integer("max_attempts").notNull().default(5),
    backoffBaseSeconds: integer("backoff_base_seconds").notNull().default(30),
    backoffCapSeconds: integer("backoff_cap_seconds").notNull().default(3_600),
    /** Requests in flight at once, over all workers. */
    concurrency: integer().notNull().default(16),
    /** Holds for deliveries made from now on; what waits blocked is released when it becomes `none`. */
    ordering: ordering().notNull().default("none"),
    /** Requests in each period, which is 1, 60 or 3600 seconds; all three are null without a limit. */
    rateAmount: integer("rate_amount"),
    ratePeriodSeconds: integer("rate_period_seconds"),
    rateBurst: integer("rate_burst"),
    /** Its own headers; the values, in the same order, are JSON encrypted as secrets are, null without any. */
    headerNames: text("header_names").array().notNull().default(sql`'{}'`),
    headerValues: bytea("header_values"),
    /** What `{secret.name}` stands for; stored as the headers are. */
    macroSecretNames: text("macro_secret_names").array().notNull().default(sql`'{}'`),
    macroSecretValues: bytea("macro_secret_values"),
    /** Not jsonb, which would give them back in an order of its own: they are compared as they were given. */
    responseRules: json("response_rules").$type<unknown[]>().notNull().default([]),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
    updatedAt: timestamp("updated_at", { withTimezone: true }).notNull().defaultNow(),
    deletedAt: timestamp("deleted_at", { withTimezone: true }),
  },
  (t) => [
    index("endpoints_affiliate").on(t.affiliateId, t.id),
    index("endpoints_live").on(t.id).where(sql`${t.deletedAt} is null`),
    index("endpoints_deleted").on(t.id).where(sql`${t.deletedAt} is not null`),
  ],
);

/** Signing secrets, encrypted at rest (lib/secrets.ts). */
export const endpointSecrets = posthorn.table(
  "endpoint_secrets",
  {
    id: uuid().primaryKey(),
    endpointId: uuid("endpoint_id")
      .notNull()
      .references(() => endpoints.id, { onDelete: "cascade" }),
    ciphertext: bytea().notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
    /** Null for the current one: rotation gives those before it an end. */
    expiresAt: timestamp("expires_at", { withTimezone: true }),
    revokedAt: timestamp("revoked_at", { withTimezone: true }),
  },
  (t) => [index("endpoint_secrets_endpoint").on(t.endpointId)],
);

/**
 * What changes with every claim and settlement, apart from the configuration so that its rows stay small
 * and updatable in place. `ready_at` is the one gate that the claim's lane scan reads.
 */
export const endpointHealth = posthorn.table("endpoint_health", {
  endpointId: uuid("endpoint_id")
    .primaryKey()
    .references(() => endpoints.id, { onDelete: "cascade" }),
  /** Nothing is claimed before this time; `infinity` while paused, disabled or deleted. */
  readyAt: timestamp("ready_at", { withTimezone: true }).notNull().defaultNow(),
  /** Claimed and not yet settled. Every transition into or out of in_flight changes it in its own transaction. */
  inFlight: integer("in_flight").notNull().default(0),
  consecutiveFailures: integer("consecutive_failures").notNull().default(0),
  lastSuccessAt: timestamp("last_success_at", { withTimezone: true }),
  lastFailureAt: timestamp("last_failure_at", { withTimezone: true }),
  lastFailureReason: reason("last_failure_reason"),
  lastFailureStatus: integer("last_failure_status"),
  breaker: breakerState().notNull().default("closed"),
  breakerChangedAt: timestamp("breaker_changed_at", { withTimezone: true }),
  /** Rises whenever the results of earlier claims must not count any more. */
  breakerEpoch: integer("breaker_epoch").notNull().default(0),
  breakerCooldownSeconds: integer("breaker_cooldown_seconds").notNull().default(300),
  /** The delivery that probes a half open breaker, so that the reaper knows when the probe is lost. */
  probeDeliveryId: bigint("probe_delivery_id", { mode: "bigint" }),
  /** Who holds it open by hand; then it does not probe until somebody resets it. */
  breakerHeldBy: text("breaker_held_by"),
  /** Requests at once after the breaker closed, doubling to the concurrency; null when that is reached. */
  ramp: integer(),
  rampAnswers: integer("ramp_answers").notNull().default(0),
  /** Attempts and counted failures of the last five minutes by half minutes, the newest first. */
  recentSlot: integer("recent_slot").notNull().default(0),
  recentAttempts: integer("recent_attempts").array().notNull().default(sql`'{}'`),
  recentFailures: integer("recent_failures").array().notNull().default(sql`'{}'`),
  /** Their server asked for a pause: nothing before this time. */
  holdUntil: timestamp("hold_until", { withTimezone: true }),
  rateLimitedInARow: integer("rate_limited_in_a_row").notNull().default(0),
  /** The row of failures that no success has interrupted yet, and the last warning about it in days. */
  failingSince: timestamp("failing_since", { withTimezone: true }),
  failingLatest: timestamp("failing_latest", { withTimezone: true }),
  failingAttempts: integer("failing_attempts").notNull().default(0),
  warnedDays: integer("warned_days").notNull().default(0),
  /** Resumed, and what was held has not gone out yet: it does so at catchUpLimit unless a rate is set. */
  catchingUp: boolean("catching_up").notNull().default(false),
  /** The token bucket as it was at `bucket_at_ms`: parts of a token, and milliseconds, both whole. */
  bucketLevel: bigint("bucket_level", { mode: "number" }),
  bucketAtMs: bigint("bucket_at_ms", { mode: "number" }),
});

/** Every change of a breaker's state, for its history. */
export const breakerTransitions = posthorn.table(
  "breaker_transitions",
  {
    id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    endpointId: uuid("endpoint_id")
      .notNull()
      .references(() => endpoints.id, { onDelete: "cascade" }),
    at: timestamp({ withTimezone: true }).notNull().defaultNow(),
    fromState: breakerState("from_state").notNull(),
    toState: breakerState("to_state").notNull(),
    cause: breakerCause().notNull(),
    cooldownSeconds: integer("cooldown_seconds").notNull(),
  },
  (t) => [
    index("breaker_transitions_endpoint").on(t.endpointId, t.id),
    index("breaker_transitions_endpoint_at").on(t.endpointId, t.at),
  ],
);
