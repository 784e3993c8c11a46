CREATE TYPE "posthorn"."endpoint_change_state" AS ENUM('pending', 'approved', 'refused', 'replaced', 'withdrawn');--> statement-breakpoint
CREATE TYPE "posthorn"."notice_channel" AS ENUM('email', 'webhook');--> statement-breakpoint
CREATE TYPE "posthorn"."notice_kind" AS ENUM('failing', 'disabled', 'recovered');--> statement-breakpoint
CREATE TYPE "posthorn"."notice_send_state" AS ENUM('pending', 'sent', 'failed', 'dropped');--> statement-breakpoint
CREATE TABLE "posthorn"."endpoint_changes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"affiliate_id" uuid NOT NULL,
	"state" "posthorn"."endpoint_change_state" DEFAULT 'pending' NOT NULL,
	"from_url" text NOT NULL,
	"to_url" text NOT NULL,
	"edit" "bytea",
	"requested_at" timestamp with time zone DEFAULT now() NOT NULL,
	"requested_by" text NOT NULL,
	"decided_at" timestamp with time zone,
	"decided_by" text,
	"reason" text
);
--> statement-breakpoint
CREATE TABLE "posthorn"."notice_sends" (
	"id" uuid PRIMARY KEY NOT NULL,
	"notice_id" bigint NOT NULL,
	"user_id" uuid NOT NULL,
	"channel" "posthorn"."notice_channel" NOT NULL,
	"state" "posthorn"."notice_send_state" DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"failure" text,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "posthorn"."notice_settings" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"kinds" "posthorn"."notice_kind"[] NOT NULL,
	"by_email" boolean NOT NULL,
	"webhook_url" text,
	"webhook_secret" "bytea",
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "posthorn"."notice_states" (
	"endpoint_id" uuid PRIMARY KEY NOT NULL,
	"kind" "posthorn"."notice_kind" NOT NULL,
	"since" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "posthorn"."notices" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "posthorn"."notices_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"affiliate_id" uuid NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"kind" "posthorn"."notice_kind" NOT NULL,
	"reason" "posthorn"."reason",
	"status" integer,
	"failing_since" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "posthorn"."portal_links" (
	"id" uuid PRIMARY KEY NOT NULL,
	"affiliate_id" uuid NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"created_by" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"session_hash" "bytea",
	"session_ends_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_changes" ADD CONSTRAINT "endpoint_changes_endpoint_id_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "posthorn"."endpoints"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_changes" ADD CONSTRAINT "endpoint_changes_affiliate_id_affiliates_id_fk" FOREIGN KEY ("affiliate_id") REFERENCES "posthorn"."affiliates"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posthorn"."notice_sends" ADD CONSTRAINT "notice_sends_notice_id_notices_id_fk" FOREIGN KEY ("notice_id") REFERENCES "posthorn"."notices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posthorn"."notice_sends" ADD CONSTRAINT "notice_sends_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "posthorn"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posthorn"."notice_settings" ADD CONSTRAINT "notice_settings_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "posthorn"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posthorn"."notice_states" ADD CONSTRAINT "notice_states_endpoint_id_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "posthorn"."endpoints"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posthorn"."notices" ADD CONSTRAINT "notices_affiliate_id_affiliates_id_fk" FOREIGN KEY ("affiliate_id") REFERENCES "posthorn"."affiliates"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posthorn"."notices" ADD CONSTRAINT "notices_endpoint_id_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "posthorn"."endpoints"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posthorn"."portal_links" ADD CONSTRAINT "portal_links_affiliate_id_affiliates_id_fk" FOREIGN KEY ("affiliate_id") REFERENCES "posthorn"."affiliates"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "endpoint_changes_pending" ON "posthorn"."endpoint_changes" USING btree ("endpoint_id") WHERE "posthorn"."endpoint_changes"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "endpoint_changes_endpoint" ON "posthorn"."endpoint_changes" USING btree ("endpoint_id","id");--> statement-breakpoint
CREATE INDEX "endpoint_changes_state" ON "posthorn"."endpoint_changes" USING btree ("state","id");--> statement-breakpoint
CREATE UNIQUE INDEX "notice_sends_once" ON "posthorn"."notice_sends" USING btree ("notice_id","user_id","channel");--> statement-breakpoint
CREATE INDEX "notice_sends_user" ON "posthorn"."notice_sends" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "notice_sends_due" ON "posthorn"."notice_sends" USING btree ("next_attempt_at") WHERE "posthorn"."notice_sends"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "notices_affiliate" ON "posthorn"."notices" USING btree ("affiliate_id","id");--> statement-breakpoint
CREATE INDEX "notices_at" ON "posthorn"."notices" USING btree ("at");--> statement-breakpoint
CREATE UNIQUE INDEX "portal_links_token" ON "posthorn"."portal_links" USING btree ("token_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "portal_links_session" ON "posthorn"."portal_links" USING btree ("session_hash");--> statement-breakpoint
CREATE INDEX "portal_links_affiliate" ON "posthorn"."portal_links" USING btree ("affiliate_id","id");--> statement-breakpoint
-- What is disabled already is no news.
INSERT INTO "posthorn"."notice_states" ("endpoint_id", "kind")
  SELECT "id", 'disabled' FROM "posthorn"."endpoints" WHERE "status" = 'disabled' AND "deleted_at" IS NULL;
