DROP INDEX "posthorn"."audit_log_object";--> statement-breakpoint
CREATE INDEX "audit_log_object_id" ON "posthorn"."audit_log" USING btree ("object_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_object_kind" ON "posthorn"."audit_log" USING btree ("object_kind","id");--> statement-breakpoint
CREATE INDEX "audit_log_action" ON "posthorn"."audit_log" USING btree ("action","id");--> statement-breakpoint
CREATE INDEX "audit_log_actor" ON "posthorn"."audit_log" USING btree ("actor_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_actor_kind" ON "posthorn"."audit_log" USING btree ("actor_kind","id");--> statement-breakpoint
CREATE INDEX "audit_log_affiliate" ON "posthorn"."audit_log" USING btree ("affiliate_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_at" ON "posthorn"."audit_log" USING btree ("at");