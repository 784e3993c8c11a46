import { bigint, boolean, integer, primaryKey, real, smallint, timestamp, uuid } from "drizzle-orm/pg-core";
import { endpoints } from "./endpoints.ts";
import { latencyResolution, posthorn } from "./namespace.ts";

/**
 * How long the attempts settled in each minute and hour took, as the histograms of lib/delivery/latency.ts. Each
 * worker replaces its own rows; worker 0 stands for all of them, once an hour is over, and the endpoint
 * of zeros for the whole deployment. The key alone serves every reading: by time, and, with the buckets' times
 * listed, by endpoint.
 */
export const endpointLatency = posthorn.table(
  "endpoint_latency",
  {
    resolution: latencyResolution().notNull(),
    bucketAt: timestamp("bucket_at", { withTimezone: true }).notNull(),
    endpointId: uuid("endpoint_id").notNull(),
    workerId: bigint("worker_id", { mode: "bigint" }).notNull(),
    writtenAt: timestamp("written_at", { withTimezone: true }).notNull().defaultNow(),
    attempts: integer().notNull(),
    delivered: integer().notNull(),
    buckets: smallint().array().notNull(),
    counts: integer().array().notNull(),
  },
  (t) => [primaryKey({ columns: [t.resolution, t.bucketAt, t.endpointId, t.workerId] })],
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
