-- Partitions. Bodies are dropped by the day, metadata by the month; a default partition catches what comes
-- before its partition was made. Names end in the first day of what they hold.
CREATE FUNCTION posthorn.ensure_partition(parent text, from_time timestamptz, to_time timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  part text := parent || '_' || to_char(from_time AT TIME ZONE 'UTC', 'YYYYMMDD');
  time_column text := CASE WHEN parent IN ('events', 'event_bodies') THEN 'received_at' ELSE 'started_at' END;
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
-- Makes the partitions from today on for so many days ahead. Several processes may call it at once.
CREATE FUNCTION posthorn.ensure_partitions(days_ahead integer DEFAULT 14) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  today timestamptz := date_trunc('day', now(), 'UTC');
  first_month timestamptz := date_trunc('month', now(), 'UTC');
  parent text;
  at timestamptz;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('posthorn.ensure_partitions', 0));
  FOREACH parent IN ARRAY ARRAY['event_bodies', 'attempt_responses'] LOOP
    FOR day IN 0..days_ahead LOOP
      PERFORM posthorn.ensure_partition(parent, today + day * interval '24 hours', today + (day + 1) * interval '24 hours');
    END LOOP;
  END LOOP;
  FOREACH parent IN ARRAY ARRAY['events', 'delivery_attempts'] LOOP
    at := first_month;
    WHILE at <= today + days_ahead * interval '24 hours' LOOP
      PERFORM posthorn.ensure_partition(parent, at,
        date_trunc('month', at + interval '32 days', 'UTC'));
      at := date_trunc('month', at + interval '32 days', 'UTC');
    END LOOP;
  END LOOP;
END $$;
--> statement-breakpoint
CREATE TABLE posthorn.events_default PARTITION OF posthorn.events DEFAULT;
--> statement-breakpoint
CREATE TABLE posthorn.event_bodies_default PARTITION OF posthorn.event_bodies DEFAULT;
--> statement-breakpoint
CREATE TABLE posthorn.delivery_attempts_default PARTITION OF posthorn.delivery_attempts DEFAULT;
--> statement-breakpoint
CREATE TABLE posthorn.attempt_responses_default PARTITION OF posthorn.attempt_responses DEFAULT;
--> statement-breakpoint
SELECT posthorn.ensure_partitions();
--> statement-breakpoint
-- UUID version 7 (RFC 9562) for servers before PostgreSQL 18: 48 bits of milliseconds, the rest random.
CREATE FUNCTION posthorn.uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT encode(set_bit(set_bit(overlay(
    uuid_send(gen_random_uuid())
    PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
    52, 1), 53, 1), 'hex')::uuid
$$;
--> statement-breakpoint
-- What an event id stands for. Every part is length-prefixed, so that no two contents share an input.
CREATE FUNCTION posthorn.event_hash(type text, affiliate_id uuid, ordering_key text, occurred_at timestamptz, data bytea)
RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT sha256(
    int4send(octet_length(type)) || convert_to(type, 'UTF8')
    || uuid_send(affiliate_id)
    || CASE WHEN ordering_key IS NULL THEN '\x00'::bytea
       ELSE '\x01'::bytea || int4send(octet_length(ordering_key)) || convert_to(ordering_key, 'UTF8') END
    || CASE WHEN occurred_at IS NULL THEN '\x00'::bytea ELSE '\x01'::bytea || timestamptz_send(occurred_at) END
    || data)
$$;
--> statement-breakpoint
-- Accepts events: key, event, body and outbox in one statement. One result for each item, in its place:
-- accepted, duplicate (same id, same content), conflict (same id, other content), unknown_type, unknown_affiliate.
-- "on conflict do update" and not "do nothing", so that one of many concurrent calls with one id inserts and
-- all the others wait for it and learn its content. Keys are taken in order of id, so that arrays cannot deadlock.
CREATE FUNCTION posthorn.accept_events(
  ids text[], types text[], affiliates text[], occurred_ats timestamptz[], ordering_keys text[], datas bytea[])
RETURNS TABLE (place integer, event_id text, outcome text) LANGUAGE sql VOLATILE AS $$
  WITH item AS MATERIALIZED (
    SELECT i.place::integer AS place, coalesce(i.id, posthorn.uuid_v7()::text) AS id, i.type, a.id AS affiliate_id,
      date_trunc('milliseconds', i.occurred_at) AS occurred_at, i.ordering_key, i.data,
      CASE WHEN NOT EXISTS (SELECT FROM posthorn.event_types t WHERE t.name = i.type) THEN 'unknown_type'
           WHEN a.id IS NULL THEN 'unknown_affiliate' END AS fault
    FROM unnest(ids, types, affiliates, occurred_ats, ordering_keys, datas)
      WITH ORDINALITY AS i (id, type, affiliate, occurred_at, ordering_key, data, place)
    LEFT JOIN posthorn.affiliates a ON a.key = i.affiliate AND a.deleted_at IS NULL
  ), hashed AS MATERIALIZED (
    SELECT item.*, posthorn.event_hash(type, affiliate_id, ordering_key, occurred_at, data) AS hash
    FROM item WHERE fault IS NULL
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
    INSERT INTO posthorn.event_outbox (event_id, received_at, affiliate_id, type, ordering_key)
    SELECT id, received_at, affiliate_id, type, ordering_key FROM fresh ORDER BY place
  )
  SELECT item.place, item.id,
    CASE WHEN item.fault IS NOT NULL THEN item.fault
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
-- Whether objects and arrays are nested no deeper: what is left of the brackets when the innermost pairs have been
-- taken away so many times is deeper still.
CREATE FUNCTION posthorn.is_within_depth(data json, depth integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  brackets text := regexp_replace(regexp_replace(data::text, '"(?:[^"\\]|\\.)*"', '', 'g'), '[^][{}]', '', 'g');
BEGIN
  FOR i IN 1..depth LOOP
    EXIT WHEN brackets = '';
    brackets := regexp_replace(brackets, '\[\]|\{\}', '', 'g');
  END LOOP;
  RETURN brackets = '';
END $$;
--> statement-breakpoint
-- Publishes within the caller's own transaction; returns the event's id. Sends no notification: that would
-- take a database-wide lock at commit, and workers look often enough.
CREATE FUNCTION posthorn.publish(
  type text, affiliate text, data json, id text DEFAULT NULL,
  occurred_at timestamptz DEFAULT NULL, ordering_key text DEFAULT NULL)
RETURNS text LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_variable
DECLARE
  bytes bytea := convert_to(data::text, 'UTF8');
  -- Without escaped backslashes, whatever is left of a backslash and a u is an escape.
  escapes text := CASE WHEN strpos(data::text, '\u') > 0 THEN replace(data::text, '\\', ' ') ELSE '' END;
  result record;
BEGIN
  IF id !~ '^[A-Za-z0-9_-]{1,128}$' THEN
    RAISE EXCEPTION 'posthorn: id must be 1 to 128 of A-Z a-z 0-9 _ -' USING ERRCODE = 'invalid_parameter_value';
  ELSIF data IS NULL OR json_typeof(data) <> 'object' THEN
    RAISE EXCEPTION 'posthorn: data must be a JSON object' USING ERRCODE = 'invalid_parameter_value';
  ELSIF octet_length(bytes) > 1048576 THEN
    RAISE EXCEPTION 'posthorn: data must be at most 1048576 bytes' USING ERRCODE = 'invalid_parameter_value';
  ELSIF escapes ~ '\\u0000' THEN
    RAISE EXCEPTION 'posthorn: data must not contain the character NUL' USING ERRCODE = 'invalid_parameter_value';
  ELSIF escapes ~* '\\ud[89ab]..(?!\\ud[c-f])' OR escapes ~* '(?<!\\ud[89ab]..)\\ud[c-f]' THEN
    RAISE EXCEPTION 'posthorn: data must not contain half of a surrogate pair' USING ERRCODE = 'invalid_parameter_value';
  ELSIF NOT posthorn.is_within_depth(data, 64) THEN
    RAISE EXCEPTION 'posthorn: data must be at most 64 deep' USING ERRCODE = 'invalid_parameter_value';
  ELSIF char_length(ordering_key) NOT BETWEEN 1 AND 256 THEN
    RAISE EXCEPTION 'posthorn: ordering_key must be 1 to 256 characters' USING ERRCODE = 'invalid_parameter_value';
  ELSIF NOT isfinite(occurred_at) THEN
    RAISE EXCEPTION 'posthorn: occurred_at must be finite' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  SELECT a.event_id, a.outcome INTO result
  FROM posthorn.accept_events(ARRAY[id], ARRAY[type], ARRAY[affiliate], ARRAY[occurred_at], ARRAY[ordering_key], ARRAY[bytes]) a;
  CASE result.outcome
    WHEN 'unknown_type' THEN
      RAISE EXCEPTION 'posthorn: type % is not in the catalogue', quote_nullable(type) USING ERRCODE = 'invalid_parameter_value';
    WHEN 'unknown_affiliate' THEN
      RAISE EXCEPTION 'posthorn: affiliate % does not exist', quote_nullable(affiliate) USING ERRCODE = 'invalid_parameter_value';
    WHEN 'conflict' THEN
      RAISE EXCEPTION 'posthorn: id % was published with other content', quote_literal(id) USING ERRCODE = 'unique_violation';
    ELSE
      RETURN result.event_id;
  END CASE;
END $$;
--> statement-breakpoint
-- The starting catalogue.
INSERT INTO posthorn.event_types (name, description) VALUES
  ('registration', 'A visitor registered'),
  ('ftd', 'A first deposit was made'),
  ('deposit', 'A later deposit was made'),
  ('qualified', 'A player met the programme''s conditions'),
  ('conversion.pending', 'A conversion was recorded and awaits approval'),
  ('conversion.approved', 'A conversion was approved'),
  ('conversion.declined', 'A conversion was declined'),
  ('conversion.reversed', 'An approved conversion was taken back'),
  ('revenue.daily', 'A day''s revenue was settled');
