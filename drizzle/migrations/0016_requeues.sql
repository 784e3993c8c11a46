CREATE TYPE "posthorn"."requeue_mode" AS ENUM('same_url', 'render_again');--> statement-breakpoint
CREATE TYPE "posthorn"."requeue_operation" AS ENUM('requeue', 'discard');--> statement-breakpoint
CREATE TYPE "posthorn"."requeue_state" AS ENUM('pending', 'running', 'completed', 'cancelled', 'failed');--> statement-breakpoint
ALTER TYPE "posthorn"."reason" ADD VALUE 'discarded_by_hand' BEFORE 'invalid_data';--> statement-breakpoint
CREATE TABLE "posthorn"."requeues" (
	"id" uuid PRIMARY KEY NOT NULL,
	"operation" "posthorn"."requeue_operation" NOT NULL,
	"mode" "posthorn"."requeue_mode" NOT NULL,
	"state" "posthorn"."requeue_state" DEFAULT 'pending' NOT NULL,
	"filter" json NOT NULL,
	"affiliate_id" uuid,
	"as_of" timestamp (3) with time zone NOT NULL,
	"last_id" bigint NOT NULL,
	"cursor" bigint DEFAULT 0 NOT NULL,
	"rate_per_second" double precision,
	"reason" text NOT NULL,
	"request_id" uuid,
	"actor_kind" "posthorn"."actor_kind" NOT NULL,
	"actor_id" text,
	"actor_name" text NOT NULL,
	"cancelled_by" text,
	"total" integer NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"refused" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"failed" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"sample" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"faults" integer DEFAULT 0 NOT NULL,
	"next_batch_at" timestamp with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE UNIQUE INDEX "requeues_request" ON "posthorn"."requeues" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "requeues_affiliate" ON "posthorn"."requeues" USING btree ("affiliate_id","id");--> statement-breakpoint
CREATE INDEX "requeues_active" ON "posthorn"."requeues" USING btree ("next_batch_at") WHERE "posthorn"."requeues"."state" in ('pending', 'running');
