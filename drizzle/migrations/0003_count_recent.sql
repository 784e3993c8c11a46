-- Counts by half minutes, the newest first, ten at most: `passed` new ones in front, and n into the newest.
CREATE FUNCTION posthorn.count_recent(counts integer[], passed integer, n integer)
RETURNS integer[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array[coalesce(moved[1], 0) + n] || moved[2:10]
  FROM (SELECT array_fill(0, array[least(greatest(passed, 0), 10)]) || counts AS moved) m
$$;
