ALTER TABLE "posthorn"."endpoint_health" ADD COLUMN "failing_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_health" ADD COLUMN "failing_latest" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_health" ADD COLUMN "failing_attempts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_health" ADD COLUMN "warned_days" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_health" ADD COLUMN "catching_up" boolean DEFAULT false NOT NULL;