CREATE TYPE "posthorn"."role" AS ENUM('affiliate', 'support', 'ops', 'admin');--> statement-breakpoint
ALTER TYPE "posthorn"."actor_kind" ADD VALUE 'user';--> statement-breakpoint
CREATE TABLE "posthorn"."credentials" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"provider_id" text NOT NULL,
	"account_id" text NOT NULL,
	"password" text,
	"access_token" text,
	"refresh_token" text,
	"id_token" text,
	"access_token_expires_at" timestamp with time zone,
	"refresh_token_expires_at" timestamp with time zone,
	"scope" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "posthorn"."sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"token" text NOT NULL,
	"user_id" uuid NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"ip_address" text,
	"user_agent" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "posthorn"."setup_links" (
	"token_hash" "bytea" PRIMARY KEY NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "posthorn"."sign_in_tries" (
	"key" "bytea" PRIMARY KEY NOT NULL,
	"tries" integer NOT NULL,
	"ends_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "posthorn"."two_factors" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"secret" text NOT NULL,
	"backup_codes" text NOT NULL,
	"verified" boolean DEFAULT true NOT NULL,
	"failed_verification_count" integer DEFAULT 0 NOT NULL,
	"locked_until" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "posthorn"."users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"email_verified" boolean DEFAULT false NOT NULL,
	"image" text,
	"two_factor_enabled" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"role" "posthorn"."role" NOT NULL,
	"affiliate_id" uuid,
	"deactivated_at" timestamp with time zone,
	CONSTRAINT "users_affiliate_role" CHECK (("posthorn"."users"."role" = 'affiliate') = ("posthorn"."users"."affiliate_id" is not null))
);
--> statement-breakpoint
CREATE TABLE "posthorn"."verifications" (
	"id" uuid PRIMARY KEY NOT NULL,
	"identifier" text NOT NULL,
	"value" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "posthorn"."endpoints" ADD COLUMN "paused_by_affiliate" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."endpoints" ADD COLUMN "gone_url" text;--> statement-breakpoint
ALTER TABLE "posthorn"."audit_log" ADD COLUMN "address" text;--> statement-breakpoint
ALTER TABLE "posthorn"."audit_log" ADD COLUMN "user_agent" text;--> statement-breakpoint
ALTER TABLE "posthorn"."credentials" ADD CONSTRAINT "credentials_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "posthorn"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posthorn"."sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "posthorn"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posthorn"."two_factors" ADD CONSTRAINT "two_factors_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "posthorn"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posthorn"."users" ADD CONSTRAINT "users_affiliate_id_affiliates_id_fk" FOREIGN KEY ("affiliate_id") REFERENCES "posthorn"."affiliates"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "credentials_user" ON "posthorn"."credentials" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "credentials_identity" ON "posthorn"."credentials" USING btree ("provider_id","account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_token" ON "posthorn"."sessions" USING btree ("token");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "posthorn"."sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_expiry" ON "posthorn"."sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sign_in_tries_end" ON "posthorn"."sign_in_tries" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "two_factors_user" ON "posthorn"."two_factors" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "posthorn"."users" USING btree ("email");--> statement-breakpoint
CREATE INDEX "users_affiliate" ON "posthorn"."users" USING btree ("affiliate_id");--> statement-breakpoint
CREATE INDEX "verifications_identifier" ON "posthorn"."verifications" USING btree ("identifier");