CREATE TYPE "posthorn"."alert_state" AS ENUM('open', 'ended');--> statement-breakpoint
CREATE TYPE "posthorn"."finding_kind" AS ENUM('outage', 'credentials', 'rate_limit', 'slow_accumulation', 'refused_payload', 'moved', 'configuration', 'poison');--> statement-breakpoint
CREATE TABLE "posthorn"."alerts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "posthorn"."alerts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"key" text NOT NULL,
	"kind" "posthorn"."finding_kind" NOT NULL,
	"state" "posthorn"."alert_state" DEFAULT 'open' NOT NULL,
	"affiliate_id" uuid NOT NULL,
	"endpoint_id" uuid,
	"event_type" text,
	"event_id" text,
	"reason" "posthorn"."reason",
	"count" integer NOT NULL,
	"finding" json NOT NULL,
	"first_seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "posthorn"."diagnoses" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"dead_letters" integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE "posthorn"."alerts" ADD CONSTRAINT "alerts_affiliate_id_affiliates_id_fk" FOREIGN KEY ("affiliate_id") REFERENCES "posthorn"."affiliates"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posthorn"."alerts" ADD CONSTRAINT "alerts_endpoint_id_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "posthorn"."endpoints"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "alerts_open" ON "posthorn"."alerts" USING btree ("key") WHERE "posthorn"."alerts"."state" = 'open';--> statement-breakpoint
CREATE INDEX "alerts_state" ON "posthorn"."alerts" USING btree (("state" = 'open'),"id");--> statement-breakpoint
CREATE INDEX "alerts_endpoint" ON "posthorn"."alerts" USING btree ("endpoint_id","id");--> statement-breakpoint
CREATE INDEX "alerts_affiliate" ON "posthorn"."alerts" USING btree ("affiliate_id","id");--> statement-breakpoint
CREATE INDEX "deliveries_dead_letters" ON "posthorn"."deliveries" USING btree ("ended_at","id","endpoint_id","reason","last_status","event_type","attempts_charged","event_id") WHERE "posthorn"."deliveries"."state" = 'dead_letter';