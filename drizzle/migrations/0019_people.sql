CREATE TABLE "posthorn"."invitations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"email" text NOT NULL,
	"role" "posthorn"."role" NOT NULL,
	"affiliate_id" uuid,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"created_by" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"accepted_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "invitations_affiliate_role" CHECK (("posthorn"."invitations"."role" = 'affiliate') = ("posthorn"."invitations"."affiliate_id" is not null))
);
--> statement-breakpoint
ALTER TABLE "posthorn"."sessions" ADD COLUMN "viewed_affiliate_id" uuid;--> statement-breakpoint
ALTER TABLE "posthorn"."sessions" ADD COLUMN "view_ends_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "posthorn"."invitations" ADD CONSTRAINT "invitations_affiliate_id_affiliates_id_fk" FOREIGN KEY ("affiliate_id") REFERENCES "posthorn"."affiliates"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_token" ON "posthorn"."invitations" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "invitations_email" ON "posthorn"."invitations" USING btree ("email");--> statement-breakpoint
ALTER TABLE "posthorn"."sessions" ADD CONSTRAINT "sessions_viewed_affiliate_id_affiliates_id_fk" FOREIGN KEY ("viewed_affiliate_id") REFERENCES "posthorn"."affiliates"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posthorn"."sessions" ADD CONSTRAINT "sessions_view" CHECK (("posthorn"."sessions"."viewed_affiliate_id" is null) = ("posthorn"."sessions"."view_ends_at" is null));