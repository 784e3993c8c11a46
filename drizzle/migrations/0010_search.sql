CREATE TABLE "posthorn"."search_keys" (
	"key" "bytea" NOT NULL,
	"event_id" text NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL
) PARTITION BY RANGE ("received_at");
--> statement-breakpoint
CREATE INDEX "search_keys_key" ON "posthorn"."search_keys" USING btree ("key","received_at");
--> statement-breakpoint
-- As before, with search_keys among what is kept by the month of the event.
CREATE OR REPLACE FUNCTION posthorn.ensure_partition(parent text, from_time timestamptz, to_time timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  part text := parent || '_' || to_char(from_time AT TIME ZONE 'UTC', 'YYYYMMDD');
  time_column text := CASE WHEN parent IN ('events', 'event_bodies', 'delivery_requests', 'search_keys') THEN 'received_at' ELSE 'started_at' END;
BEGIN
  IF to_regclass('posthorn.' || quote_ident(part)) IS NOT NULL THEN
    RETURN;
  END IF;
  EXECUTE format('CREATE TABLE posthorn.%I (LIKE posthorn.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', part, parent);
  -- What the default partition already holds of this range moves along; attaching would fail otherwise.
  EXECUTE format(
    'WITH moved AS (DELETE FROM posthorn.%I WHERE %I >= %L AND %I < %L RETURNING *) INSERT INTO posthorn.%I SELECT * FROM moved',
    parent || '_default', time_column, from_time, time_column, to_time, part);
  EXECUTE format('ALTER TABLE posthorn.%I ATTACH PARTITION posthorn.%I FOR VALUES FROM (%L) TO (%L)',
    parent, part, from_time, to_time);
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION posthorn.ensure_partitions(days_ahead integer DEFAULT 14) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  today timestamptz := date_trunc('day', now(), 'UTC');
  first_month timestamptz := date_trunc('month', now(), 'UTC');
  parent text;
  at timestamptz;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('posthorn.ensure_partitions', 0));
  FOREACH parent IN ARRAY ARRAY['event_bodies', 'delivery_requests', 'attempt_responses'] LOOP
    FOR day IN 0..days_ahead LOOP
      PERFORM posthorn.ensure_partition(parent, today + day * interval '24 hours', today + (day + 1) * interval '24 hours');
    END LOOP;
  END LOOP;
  FOREACH parent IN ARRAY ARRAY['events', 'delivery_attempts', 'search_keys'] LOOP
    at := first_month;
    WHILE at <= today + days_ahead * interval '24 hours' LOOP
      PERFORM posthorn.ensure_partition(parent, at,
        date_trunc('month', at + interval '32 days', 'UTC'));
      at := date_trunc('month', at + interval '32 days', 'UTC');
    END LOOP;
  END LOOP;
END $$;
--> statement-breakpoint
CREATE TABLE posthorn.search_keys_default PARTITION OF posthorn.search_keys DEFAULT;
--> statement-breakpoint
SELECT posthorn.ensure_partitions();
