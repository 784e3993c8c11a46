import { bigint, boolean, integer, primaryKey, real, smallint, timestamp, uuid } from "drizzle-orm/pg-core";
import { endpoints } from "./endpoints.ts";
import { latencyResolution, posthorn } from "./namespace.ts";

/** How many attempts, how they ended (lib/delivery/outcome-class.ts; the rest is `other`), and how long they took. */
const counted = {
  attempts: integer().notNull(),
  delivered: integer().notNull(),
  redirect: integer().notNull().default(0),
  clientError: integer("client_error").notNull().default(0),
  serverError: integer("server_error").notNull().default(0),
  timeout: integer().notNull().default(0),
  network: integer().notNull().default(0),
  buckets: smallint().array().notNull(),
  counts: integer().array().notNull(),
};

/**
 * How the attempts settled in each minute and hour ended and how long they took, as the histograms of
 * lib/delivery/latency.ts. Each worker replaces its own rows; worker 0 stands for all of them, once an hour is over.
 * `endpoint_id` may also be an affiliate, for all that it ever had, or the endpoint of zeros, for the whole deployment.
 * The key alone serves every reading: by time, and, with the buckets' times listed, by endpoint.
 */
export const endpointLatency = posthorn.table(
  "endpoint_latency",
  {
    resolution: latencyResolution().notNull(),
    bucketAt: timestamp("bucket_at", { withTimezone: true }).notNull(),
    endpointId: uuid("endpoint_id").notNull(),
    workerId: bigint("worker_id", { mode: "bigint" }).notNull(),
    writtenAt: timestamp("written_at", { withTimezone: true }).notNull().defaultNow(),
    ...counted,
  },
  (t) => [primaryKey({ columns: [t.resolution, t.bucketAt, t.endpointId, t.workerId] })],
);

/** The same for each day of UTC: the sum of its hours that have been made one row. */
export const endpointLatencyDays = posthorn.table(
  "endpoint_latency_days",
  {
    bucketAt: timestamp("bucket_at", { withTimezone: true }).notNull(),
    endpointId: uuid("endpoint_id").notNull(),
    ...counted,
  },
  (t) => [primaryKey({ columns: [t.bucketAt, t.endpointId] })],
);

/**
 * What an endpoint's percentiles are. Apart from endpoint_health, whose rows every claim and settlement locks and
 * rewrites; here maintenance alone writes.
 */
export const endpointPercentiles = posthorn.table("endpoint_percentiles", {
  endpointId: uuid("endpoint_id")
    .primaryKey()
    .references(() => endpoints.id, { onDelete: "cascade" }),
  /** Of the last 24 hours; null until they are first worked out. */
  refreshedAt: timestamp("refreshed_at", { withTimezone: true }),
  samples: integer().notNull().default(0),
  p50Ms: real("p50_ms"),
  p95Ms: real("p95_ms"),
  p99Ms: real("p99_ms"),
  slow: boolean().notNull().default(false),
  /** Of the last hour and of the last 7 days; null when too few samples bear them out. */
  hourSamples: integer("hour_samples").notNull().default(0),
  hourP95Ms: real("hour_p95_ms"),
  weekP95Ms: real("week_p95_ms"),
  weekAt: timestamp("week_at", { withTimezone: true }),
  slowing: boolean().notNull().default(false),
  /** The hours of the 24 that are over, in one histogram, so that a refresh adds only the current one. */
  closedUntil: timestamp("closed_until", { withTimezone: true }),
  closedBuckets: smallint("closed_buckets").array(),
  closedCounts: integer("closed_counts").array(),
});
