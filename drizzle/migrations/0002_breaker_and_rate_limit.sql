CREATE TYPE "posthorn"."breaker_cause" AS ENUM('consecutive_failures', 'failure_rate', 'probe_started', 'probe_succeeded', 'probe_neutral', 'probe_failed', 'probe_lost', 'held', 'reset', 'closed_by_hand', 'endpoint_changed', 'resumed');--> statement-breakpoint
CREATE TYPE "posthorn"."breaker_state" AS ENUM('closed', 'open', 'half_open');--> statement-breakpoint
ALTER TYPE "posthorn"."reason" ADD VALUE 'proxy_refused' BEFORE 'request_timeout';--> statement-breakpoint
ALTER TYPE "posthorn"."reason" ADD VALUE 'misdirected' BEFORE 'too_early';--> statement-breakpoint
ALTER TYPE "posthorn"."reason" ADD VALUE 'rejected_by_response' BEFORE 'body_purged';--> statement-breakpoint
CREATE TABLE "posthorn"."breaker_transitions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "posthorn"."breaker_transitions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"endpoint_id" uuid NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"from_state" "posthorn"."breaker_state" NOT NULL,
	"to_state" "posthorn"."breaker_state" NOT NULL,
	"cause" "posthorn"."breaker_cause" NOT NULL,
	"cooldown_seconds" integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_health" ADD COLUMN "breaker" "posthorn"."breaker_state" DEFAULT 'closed' NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_health" ADD COLUMN "breaker_changed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_health" ADD COLUMN "breaker_epoch" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_health" ADD COLUMN "breaker_cooldown_seconds" integer DEFAULT 300 NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_health" ADD COLUMN "probe_delivery_id" bigint;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_health" ADD COLUMN "breaker_held_by" text;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_health" ADD COLUMN "ramp" integer;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_health" ADD COLUMN "ramp_answers" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_health" ADD COLUMN "recent_slot" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_health" ADD COLUMN "recent_attempts" integer[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_health" ADD COLUMN "recent_failures" integer[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_health" ADD COLUMN "hold_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_health" ADD COLUMN "rate_limited_in_a_row" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_health" ADD COLUMN "bucket_level" bigint;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_health" ADD COLUMN "bucket_at_ms" bigint;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoints" ADD COLUMN "rate_amount" integer;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoints" ADD COLUMN "rate_period_seconds" integer;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoints" ADD COLUMN "rate_burst" integer;--> statement-breakpoint
ALTER TABLE "posthorn"."breaker_transitions" ADD CONSTRAINT "breaker_transitions_endpoint_id_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "posthorn"."endpoints"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "breaker_transitions_endpoint" ON "posthorn"."breaker_transitions" USING btree ("endpoint_id","id");