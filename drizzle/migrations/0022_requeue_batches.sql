CREATE TABLE "posthorn"."requeue_batches" (
	"requeue_id" uuid NOT NULL,
	"last_id" bigint NOT NULL,
	"ids" bigint[] NOT NULL,
	CONSTRAINT "requeue_batches_requeue_id_last_id_pk" PRIMARY KEY("requeue_id","last_id")
);
--> statement-breakpoint
ALTER TABLE "posthorn"."requeue_batches" ADD CONSTRAINT "requeue_batches_requeue_id_requeues_id_fk" FOREIGN KEY ("requeue_id") REFERENCES "posthorn"."requeues"("id") ON DELETE cascade ON UPDATE no action;