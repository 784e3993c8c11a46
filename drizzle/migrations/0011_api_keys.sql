CREATE TYPE "posthorn"."key_purpose" AS ENUM('publish', 'read', 'manage');--> statement-breakpoint
ALTER TABLE "posthorn"."api_keys" ADD COLUMN "purpose" "posthorn"."key_purpose";--> statement-breakpoint
-- Until now a key could do everything.
UPDATE "posthorn"."api_keys" SET "purpose" = 'manage';--> statement-breakpoint
ALTER TABLE "posthorn"."api_keys" ALTER COLUMN "purpose" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."api_keys" ADD COLUMN "affiliate_id" uuid;--> statement-breakpoint
ALTER TABLE "posthorn"."api_keys" ADD COLUMN "created_by" text;--> statement-breakpoint
UPDATE "posthorn"."api_keys" SET "created_by" = 'Posthorn';--> statement-breakpoint
ALTER TABLE "posthorn"."api_keys" ALTER COLUMN "created_by" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."api_keys" ADD COLUMN "expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "posthorn"."api_keys" ADD COLUMN "last_used_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "posthorn"."api_keys" ADD CONSTRAINT "api_keys_affiliate_id_affiliates_id_fk" FOREIGN KEY ("affiliate_id") REFERENCES "posthorn"."affiliates"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posthorn"."api_keys" ADD CONSTRAINT "api_keys_affiliate" CHECK ("posthorn"."api_keys"."affiliate_id" is null or "posthorn"."api_keys"."purpose" = 'read');