CREATE TYPE "posthorn"."latency_resolution" AS ENUM('minute', 'hour');--> statement-breakpoint
CREATE TABLE "posthorn"."endpoint_latency" (
	"resolution" "posthorn"."latency_resolution" NOT NULL,
	"bucket_at" timestamp with time zone NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"worker_id" bigint NOT NULL,
	"written_at" timestamp with time zone DEFAULT now() NOT NULL,
	"attempts" integer NOT NULL,
	"delivered" integer NOT NULL,
	"buckets" smallint[] NOT NULL,
	"counts" integer[] NOT NULL,
	CONSTRAINT "endpoint_latency_resolution_bucket_at_endpoint_id_worker_id_pk" PRIMARY KEY("resolution","bucket_at","endpoint_id","worker_id")
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
CREATE TABLE "posthorn"."endpoint_percentiles" (
	"endpoint_id" uuid PRIMARY KEY NOT NULL,
	"refreshed_at" timestamp with time zone,
	"samples" integer DEFAULT 0 NOT NULL,
	"p50_ms" real,
	"p95_ms" real,
	"p99_ms" real,
	"slow" boolean DEFAULT false NOT NULL,
	"hour_samples" integer DEFAULT 0 NOT NULL,
	"hour_p95_ms" real,
	"week_p95_ms" real,
	"week_at" timestamp with time zone,
	"slowing" boolean DEFAULT false NOT NULL,
	"closed_until" timestamp with time zone,
	"closed_buckets" smallint[],
	"closed_counts" integer[]
) WITH (fillfactor = 50, toast_tuple_target = 128);
--> statement-breakpoint
-- Written once an hour, beside columns that change every 30 seconds: out of line, so that these stay small to rewrite.
ALTER TABLE "posthorn"."endpoint_percentiles" ALTER COLUMN "closed_buckets" SET STORAGE EXTERNAL, ALTER COLUMN "closed_counts" SET STORAGE EXTERNAL;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_percentiles" ADD CONSTRAINT "endpoint_percentiles_endpoint_id_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "posthorn"."endpoints"("id") ON DELETE cascade ON UPDATE no action;