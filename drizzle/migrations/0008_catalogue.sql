CREATE TYPE "posthorn"."invalid_data_rule" AS ENUM('refuse', 'warn');--> statement-breakpoint
ALTER TYPE "posthorn"."reason" ADD VALUE 'invalid_data';--> statement-breakpoint
ALTER TABLE "posthorn"."event_types" ADD COLUMN "fields" json DEFAULT '[]'::json NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."event_types" ADD COLUMN "invalid_data" "posthorn"."invalid_data_rule" DEFAULT 'refuse' NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."event_types" ADD COLUMN "deprecated_at" timestamp with time zone;--> statement-breakpoint
-- What waits in the outbox was accepted before there was anything to check.
ALTER TABLE "posthorn"."event_outbox" ADD COLUMN "checked" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."event_outbox" ALTER COLUMN "checked" SET DEFAULT false;--> statement-breakpoint
-- Nobody noted how large that is, so it counts as the largest there can be.
ALTER TABLE "posthorn"."event_outbox" ADD COLUMN "data_bytes" integer DEFAULT 1048576 NOT NULL;--> statement-breakpoint
ALTER TABLE "posthorn"."event_outbox" ALTER COLUMN "data_bytes" DROP DEFAULT;--> statement-breakpoint
-- As before, but a caller that has held the data against the catalogue says which version of each type it used: if one of
-- them is another by now, nothing is accepted and every outcome is type_changed. So the rules can be cached and an edit
-- still holds at once. What comes without a version, as from posthorn.publish, is checked by the fan-out.
DROP FUNCTION posthorn.accept_events(text[], text[], text[], timestamptz[], text[], bytea[]);
--> statement-breakpoint
CREATE FUNCTION posthorn.accept_events(
  ids text[], types text[], affiliates text[], occurred_ats timestamptz[], ordering_keys text[], datas bytea[],
  type_versions text[] DEFAULT NULL)
RETURNS TABLE (place integer, event_id text, outcome text) LANGUAGE sql VOLATILE AS $$
  WITH item AS MATERIALIZED (
    SELECT i.place::integer AS place, coalesce(i.id, posthorn.uuid_v7()::text) AS id, i.type, a.id AS affiliate_id,
      date_trunc('milliseconds', i.occurred_at) AS occurred_at, i.ordering_key, i.data,
      i.type_version IS NOT NULL AS checked, coalesce(i.type_version <> t.xmin::text, false) AS stale,
      CASE WHEN t.name IS NULL THEN 'unknown_type'
           WHEN a.id IS NULL THEN 'unknown_affiliate' END AS fault
    FROM unnest(ids, types, affiliates, occurred_ats, ordering_keys, datas, type_versions)
      WITH ORDINALITY AS i (id, type, affiliate, occurred_at, ordering_key, data, type_version, place)
    LEFT JOIN posthorn.event_types t ON t.name = i.type
    LEFT JOIN posthorn.affiliates a ON a.key = i.affiliate AND a.deleted_at IS NULL
  ), hashed AS MATERIALIZED (
    SELECT item.*, posthorn.event_hash(type, affiliate_id, ordering_key, occurred_at, data) AS hash
    FROM item WHERE fault IS NULL AND NOT (SELECT bool_or(stale) FROM item)
  ), first AS MATERIALIZED (
    SELECT DISTINCT ON (id) * FROM hashed ORDER BY id, place
  ), key AS (
    INSERT INTO posthorn.event_keys AS k (id, content_hash, received_at)
    SELECT id, hash, date_trunc('milliseconds', clock_timestamp()) FROM first ORDER BY id
    ON CONFLICT (id) DO UPDATE SET id = k.id
    RETURNING k.id, k.content_hash, k.received_at, (k.xmax = 0) AS fresh
  ), fresh AS MATERIALIZED (
    SELECT f.*, k.received_at FROM key k JOIN first f ON f.id = k.id WHERE k.fresh
  ), event AS (
    INSERT INTO posthorn.events (id, received_at, affiliate_id, type, occurred_at, ordering_key, data_bytes)
    SELECT id, received_at, affiliate_id, type, coalesce(occurred_at, received_at), ordering_key, octet_length(data) FROM fresh
  ), body AS (
    INSERT INTO posthorn.event_bodies (event_id, received_at, type, occurred_at, data)
    SELECT id, received_at, type, coalesce(occurred_at, received_at), data FROM fresh
  ), queued AS (
    INSERT INTO posthorn.event_outbox (event_id, received_at, affiliate_id, type, ordering_key, checked, data_bytes)
    SELECT id, received_at, affiliate_id, type, ordering_key, checked, octet_length(data) FROM fresh ORDER BY place
  )
  SELECT item.place, item.id,
    CASE WHEN (SELECT bool_or(stale) FROM item) THEN 'type_changed'
         WHEN item.fault IS NOT NULL THEN item.fault
         WHEN k.content_hash <> h.hash THEN 'conflict'
         WHEN k.fresh AND h.place = f.place THEN 'accepted'
         ELSE 'duplicate' END
  FROM item
  LEFT JOIN hashed h ON h.place = item.place
  LEFT JOIN first f ON f.id = item.id
  LEFT JOIN key k ON k.id = item.id
  ORDER BY item.place
$$;
--> statement-breakpoint
-- The fields of the starting catalogue.
WITH field (place, name, kind, sensitive, searchable, example, description) AS (
  VALUES
    (1, 'click_id', 'string', true, true, 'clk_7f3a9c21d4', 'The click that the visitor came with'),
    (2, 'conversion_id', 'string', true, true, 'cnv_20418', 'The conversion, the same in every event about it'),
    (3, 'transaction_id', 'string', true, true, 'txn_98431', 'The payment or deposit'),
    (4, 'payout', 'decimal', true, false, '45.00', 'What the affiliate earns'),
    (5, 'amount', 'decimal', true, false, '120.50', 'What was paid or deposited'),
    (6, 'currency', 'string', false, false, 'EUR', 'ISO 4217 code of payout and amount'),
    (7, 'status', 'string', false, false, 'pending', 'Where the conversion stands'),
    (8, 'goal', 'string', false, false, 'cpa', 'What was agreed to be paid for'),
    (9, 'offer_id', 'string', false, false, 'offer_118', 'The offer'),
    (10, 'campaign_id', 'string', false, false, 'spring-push', 'The campaign'),
    (11, 'country', 'string', false, false, 'SE', 'ISO 3166 code of the visitor''s country'),
    (12, 'sub1', 'string', false, false, 'banner-728', 'The affiliate''s own value'),
    (13, 'sub2', 'string', false, false, 'kw-42', 'The affiliate''s own value'),
    (14, 'sub3', 'string', false, false, 'top-list', 'The affiliate''s own value'),
    (15, 'sub4', 'string', false, false, 'review', 'The affiliate''s own value'),
    (16, 'sub5', 'string', false, false, 'newsletter-14', 'The affiliate''s own value'),
    (17, 'sub6', 'string', false, false, 'mobile', 'The affiliate''s own value'),
    (18, 'sub7', 'string', false, false, 'evening', 'The affiliate''s own value'),
    (19, 'sub8', 'string', false, false, 'creative-3', 'The affiliate''s own value'),
    (20, 'sub9', 'string', false, false, 'group-b', 'The affiliate''s own value'),
    (21, 'sub10', 'string', false, false, 'test-7', 'The affiliate''s own value'),
    (22, 'deposit_number', 'integer', false, false, '2', 'Which of the player''s deposits this is, from 2 on'),
    (23, 'occurred_at', 'timestamp', false, false, '2026-01-31T12:00:00Z', 'When it happened')
)
UPDATE posthorn.event_types t
SET fields = (
  SELECT json_agg(json_build_object(
    'name', f.name, 'description', f.description, 'kind', f.kind, 'required', false,
    'sensitive', f.sensitive, 'searchable', f.searchable,
    'example', CASE WHEN f.name = 'status' AND t.name LIKE 'conversion.%' THEN split_part(t.name, '.', 2)
      ELSE f.example END) ORDER BY f.place)
  FROM field f WHERE f.name <> 'deposit_number' OR t.name = 'deposit')
WHERE t.name IN ('registration', 'ftd', 'deposit', 'qualified', 'conversion.pending', 'conversion.approved',
  'conversion.declined', 'conversion.reversed', 'revenue.daily');
