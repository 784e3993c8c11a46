ALTER TABLE "posthorn"."endpoint_secrets" ADD COLUMN "expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_secrets" ADD COLUMN "revoked_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoints" ADD COLUMN "header_names" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoints" ADD COLUMN "header_values" "bytea";--> statement-breakpoint
ALTER TABLE "posthorn"."endpoints" ADD COLUMN "response_rules" json DEFAULT '[]'::json NOT NULL;