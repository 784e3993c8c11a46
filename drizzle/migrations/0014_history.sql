CREATE TABLE "posthorn"."endpoint_latency_days" (
	"bucket_at" timestamp with time zone NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"attempts" integer NOT NULL,
	"delivered" integer NOT NULL,
	"redirect" integer DEFAULT 0 NOT NULL,
	"client_error" integer DEFAULT 0 NOT NULL,
	"server_error" integer DEFAULT 0 NOT NULL,
	"timeout" integer DEFAULT 0 NOT NULL,
	"network" integer DEFAULT 0 NOT NULL,
	"buckets" smallint[] NOT NULL,
	"counts" integer[] NOT NULL,
	CONSTRAINT "endpoint_latency_days_bucket_at_endpoint_id_pk" PRIMARY KEY("bucket_at","endpoint_id")
);
--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_latency" ADD COLUMN "redirect" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_latency" ADD COLUMN "client_error" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_latency" ADD COLUMN "server_error" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_latency" ADD COLUMN "timeout" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_latency" ADD COLUMN "network" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "breaker_transitions_endpoint_at" ON "posthorn"."breaker_transitions" USING btree ("endpoint_id","at");--> statement-breakpoint
-- What was counted before: of each affiliate, the sum of its endpoints, by worker so that the roll-up goes on from it.
INSERT INTO "posthorn"."endpoint_latency" ("resolution", "bucket_at", "endpoint_id", "worker_id", "attempts", "delivered", "buckets", "counts")
SELECT t.resolution, t.bucket_at, t.affiliate_id, t.worker_id, t.attempts, t.delivered, h.buckets, h.counts
FROM (
	SELECT l.resolution, l.bucket_at, e.affiliate_id, l.worker_id,
		sum(l.attempts)::int AS attempts, sum(l.delivered)::int AS delivered
	FROM posthorn.endpoint_latency l JOIN posthorn.endpoints e ON e.id = l.endpoint_id
	GROUP BY 1, 2, 3, 4
) t JOIN (
	SELECT resolution, bucket_at, affiliate_id, worker_id,
		array_agg(bucket ORDER BY bucket) AS buckets, array_agg(n ORDER BY bucket) AS counts
	FROM (
		SELECT l.resolution, l.bucket_at, e.affiliate_id, l.worker_id, b.bucket, sum(b.n)::int AS n
		FROM posthorn.endpoint_latency l JOIN posthorn.endpoints e ON e.id = l.endpoint_id,
			unnest(l.buckets, l.counts) AS b (bucket, n)
		GROUP BY 1, 2, 3, 4, 5
	) summed GROUP BY 1, 2, 3, 4
) h USING (resolution, bucket_at, affiliate_id, worker_id);--> statement-breakpoint
-- And of each day the hours that are one row already; the roll-up adds the others.
INSERT INTO "posthorn"."endpoint_latency_days" ("bucket_at", "endpoint_id", "attempts", "delivered", "buckets", "counts")
SELECT t.day, t.endpoint_id, t.attempts, t.delivered, h.buckets, h.counts
FROM (
	SELECT date_trunc('day', bucket_at, 'UTC') AS day, endpoint_id,
		sum(attempts)::int AS attempts, sum(delivered)::int AS delivered
	FROM posthorn.endpoint_latency WHERE resolution = 'hour' AND worker_id = 0 GROUP BY 1, 2
) t JOIN (
	SELECT day, endpoint_id, array_agg(bucket ORDER BY bucket) AS buckets, array_agg(n ORDER BY bucket) AS counts
	FROM (
		SELECT date_trunc('day', l.bucket_at, 'UTC') AS day, l.endpoint_id, b.bucket, sum(b.n)::int AS n
		FROM posthorn.endpoint_latency l, unnest(l.buckets, l.counts) AS b (bucket, n)
		WHERE l.resolution = 'hour' AND l.worker_id = 0 GROUP BY 1, 2, 3
	) summed GROUP BY 1, 2
) h USING (day, endpoint_id);
