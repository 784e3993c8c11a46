CREATE SCHEMA IF NOT EXISTS "posthorn";
--> statement-breakpoint
CREATE TYPE "posthorn"."actor_kind" AS ENUM('api_key', 'console', 'system');--> statement-breakpoint
CREATE TYPE "posthorn"."attempt_outcome" AS ENUM('delivered', 'transient', 'permanent', 'worker_lost');--> statement-breakpoint
CREATE TYPE "posthorn"."delivery_state" AS ENUM('pending', 'in_flight', 'failed', 'delivered', 'dead_letter', 'skipped', 'discarded');--> statement-breakpoint
CREATE TYPE "posthorn"."endpoint_kind" AS ENUM('webhook');--> statement-breakpoint
CREATE TYPE "posthorn"."endpoint_status" AS ENUM('active', 'paused', 'disabled');--> statement-breakpoint
CREATE TYPE "posthorn"."reason" AS ENUM('dns_error', 'connection_refused', 'connection_reset', 'connection_failed', 'tls_failed', 'certificate_invalid', 'timeout', 'invalid_response', 'blocked_address', 'redirect', 'bad_request', 'unauthorized', 'forbidden', 'not_found', 'method_not_allowed', 'request_timeout', 'gone', 'payload_refused', 'too_early', 'rate_limited', 'client_error', 'server_error', 'not_supported', 'body_purged', 'worker_lost', 'endpoint_deleted');--> statement-breakpoint
CREATE TABLE "posthorn"."affiliates" (
	"id" uuid PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "posthorn"."attempt_responses" (
	"delivery_id" bigint NOT NULL,
	"number" integer NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"url" text NOT NULL,
	"headers" text,
	"body" "bytea",
	"body_truncated" boolean DEFAULT false NOT NULL,
	CONSTRAINT "attempt_responses_delivery_id_number_started_at_pk" PRIMARY KEY("delivery_id","number","started_at")
) PARTITION BY RANGE ("started_at");
--> statement-breakpoint
CREATE TABLE "posthorn"."deliveries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "posthorn"."deliveries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"event_id" text NOT NULL,
	"event_received_at" timestamp (3) with time zone NOT NULL,
	"event_type" text NOT NULL,
	"affiliate_id" uuid NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"state" "posthorn"."delivery_state" DEFAULT 'pending' NOT NULL,
	"blocked" boolean DEFAULT false NOT NULL,
	"ordering_key" text,
	"attempt_number" integer DEFAULT 0 NOT NULL,
	"attempts_charged" integer DEFAULT 0 NOT NULL,
	"lost_in_a_row" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"leased_by" bigint,
	"lease_token" bigint,
	"reason" "posthorn"."reason",
	"last_status" integer,
	"last_attempt_at" timestamp with time zone,
	"last_duration_ms" real,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"delivered_at" timestamp with time zone,
	"ended_at" timestamp with time zone
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200000);
--> statement-breakpoint
CREATE TABLE "posthorn"."delivery_attempts" (
	"delivery_id" bigint NOT NULL,
	"number" integer NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"outcome" "posthorn"."attempt_outcome" NOT NULL,
	"reason" "posthorn"."reason",
	"status" integer,
	"error_code" text,
	"dns_ms" real,
	"connect_ms" real,
	"tls_ms" real,
	"first_byte_ms" real,
	"duration_ms" real,
	"late" boolean DEFAULT false NOT NULL,
	"worker_id" bigint,
	CONSTRAINT "delivery_attempts_delivery_id_number_started_at_pk" PRIMARY KEY("delivery_id","number","started_at")
) PARTITION BY RANGE ("started_at");
--> statement-breakpoint
CREATE TABLE "posthorn"."endpoint_health" (
	"endpoint_id" uuid PRIMARY KEY NOT NULL,
	"ready_at" timestamp with time zone DEFAULT now() NOT NULL,
	"in_flight" integer DEFAULT 0 NOT NULL,
	"consecutive_failures" integer DEFAULT 0 NOT NULL,
	"last_success_at" timestamp with time zone,
	"last_failure_at" timestamp with time zone,
	"last_failure_reason" "posthorn"."reason",
	"last_failure_status" integer
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE "posthorn"."endpoint_secrets" (
	"id" uuid PRIMARY KEY NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"ciphertext" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "posthorn"."endpoints" (
	"id" uuid PRIMARY KEY NOT NULL,
	"affiliate_id" uuid NOT NULL,
	"kind" "posthorn"."endpoint_kind" DEFAULT 'webhook' NOT NULL,
	"name" text NOT NULL,
	"url" text NOT NULL,
	"event_types" text[],
	"status" "posthorn"."endpoint_status" DEFAULT 'active' NOT NULL,
	"status_changed_at" timestamp with time zone DEFAULT now() NOT NULL,
	"status_changed_by" text NOT NULL,
	"timeout_ms" integer DEFAULT 15000 NOT NULL,
	"max_attempts" integer DEFAULT 5 NOT NULL,
	"backoff_base_seconds" integer DEFAULT 30 NOT NULL,
	"backoff_cap_seconds" integer DEFAULT 3600 NOT NULL,
	"concurrency" integer DEFAULT 16 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "posthorn"."event_types" (
	"name" text PRIMARY KEY NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "posthorn"."event_bodies" (
	"event_id" text NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"type" text NOT NULL,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"data" "bytea" NOT NULL,
	CONSTRAINT "event_bodies_event_id_received_at_pk" PRIMARY KEY("event_id","received_at")
) PARTITION BY RANGE ("received_at");
--> statement-breakpoint
CREATE TABLE "posthorn"."event_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"content_hash" "bytea" NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "posthorn"."event_outbox" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "posthorn"."event_outbox_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"event_id" text NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"affiliate_id" uuid NOT NULL,
	"type" text NOT NULL,
	"ordering_key" text
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
--> statement-breakpoint
CREATE TABLE "posthorn"."events" (
	"id" text NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"affiliate_id" uuid NOT NULL,
	"type" text NOT NULL,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"ordering_key" text,
	"data_bytes" integer NOT NULL,
	CONSTRAINT "events_id_received_at_pk" PRIMARY KEY("id","received_at")
) PARTITION BY RANGE ("received_at");
--> statement-breakpoint
CREATE TABLE "posthorn"."api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"prefix" text NOT NULL,
	"key_hash" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "posthorn"."audit_log" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "posthorn"."audit_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"actor_kind" "posthorn"."actor_kind" NOT NULL,
	"actor_id" text,
	"actor_name" text NOT NULL,
	"action" text NOT NULL,
	"object_kind" text NOT NULL,
	"object_id" text NOT NULL,
	"affiliate_id" uuid,
	"before" jsonb,
	"after" jsonb
);
--> statement-breakpoint
CREATE TABLE "posthorn"."delivery_minutes" (
	"minute" timestamp with time zone NOT NULL,
	"worker_id" bigint NOT NULL,
	"delivered" integer NOT NULL,
	"failed" integer NOT NULL,
	"dead_letters" integer NOT NULL,
	"delivered_ms_sum" double precision NOT NULL,
	CONSTRAINT "delivery_minutes_minute_worker_id_pk" PRIMARY KEY("minute","worker_id")
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE "posthorn"."workers" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "posthorn"."workers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"hostname" text NOT NULL,
	"pid" integer NOT NULL,
	"version" text NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"heartbeat_at" timestamp with time zone DEFAULT now() NOT NULL,
	"lease_until" timestamp with time zone NOT NULL
) WITH (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_health" ADD CONSTRAINT "endpoint_health_endpoint_id_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "posthorn"."endpoints"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoint_secrets" ADD CONSTRAINT "endpoint_secrets_endpoint_id_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "posthorn"."endpoints"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoints" ADD CONSTRAINT "endpoints_affiliate_id_affiliates_id_fk" FOREIGN KEY ("affiliate_id") REFERENCES "posthorn"."affiliates"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "affiliates_key" ON "posthorn"."affiliates" USING btree ("key") WHERE "posthorn"."affiliates"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "posthorn"."deliveries" USING btree ("endpoint_id","next_attempt_at","id") WHERE "posthorn"."deliveries"."state" in ('pending', 'failed') and not "posthorn"."deliveries"."blocked";--> statement-breakpoint
CREATE INDEX "deliveries_leased" ON "posthorn"."deliveries" USING btree ("leased_by") WHERE "posthorn"."deliveries"."state" = 'in_flight';--> statement-breakpoint
CREATE INDEX "deliveries_endpoint" ON "posthorn"."deliveries" USING btree ("endpoint_id","id");--> statement-breakpoint
CREATE INDEX "deliveries_event" ON "posthorn"."deliveries" USING btree ("event_id","endpoint_id");--> statement-breakpoint
CREATE INDEX "deliveries_state" ON "posthorn"."deliveries" USING btree ("state","id") WHERE "posthorn"."deliveries"."state" in ('pending', 'failed', 'dead_letter', 'skipped', 'discarded');--> statement-breakpoint
CREATE INDEX "deliveries_endpoint_dead" ON "posthorn"."deliveries" USING btree ("endpoint_id","id") WHERE "posthorn"."deliveries"."state" = 'dead_letter';--> statement-breakpoint
CREATE INDEX "endpoint_secrets_endpoint" ON "posthorn"."endpoint_secrets" USING btree ("endpoint_id");--> statement-breakpoint
CREATE INDEX "endpoints_affiliate" ON "posthorn"."endpoints" USING btree ("affiliate_id","id");--> statement-breakpoint
CREATE INDEX "endpoints_live" ON "posthorn"."endpoints" USING btree ("id") WHERE "posthorn"."endpoints"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "endpoints_deleted" ON "posthorn"."endpoints" USING btree ("id") WHERE "posthorn"."endpoints"."deleted_at" is not null;--> statement-breakpoint
CREATE INDEX "events_received" ON "posthorn"."events" USING btree ("received_at","id");--> statement-breakpoint
CREATE INDEX "events_affiliate" ON "posthorn"."events" USING btree ("affiliate_id","received_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_hash" ON "posthorn"."api_keys" USING btree ("key_hash");--> statement-breakpoint
CREATE INDEX "audit_log_object" ON "posthorn"."audit_log" USING btree ("object_kind","object_id","id");