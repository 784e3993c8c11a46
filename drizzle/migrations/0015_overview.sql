ALTER TABLE "posthorn"."workers" ADD COLUMN "stopped_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "posthorn"."workers" ADD COLUMN "claimed_last_minute" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."workers" ADD COLUMN "settled_last_minute" integer DEFAULT 0 NOT NULL;