import { capCount } from "#lib/api/paging.ts";
import { plainArray } from "#lib/db/arrays.ts";
import type { Queryable } from "#lib/db/database.ts";
import type { EndpointActivity } from "./schema.ts";

/** A page's counts touch at most 50,000 rows, which take 100 ms where the visibility map is behind. */
const countedTo = 500;
const hoursShown = 24;

type BacklogRow = { id: string; backlog: number; dead_letters: number; oldest_due_at: Date | null };
type HoursRow = { id: string; hours: { attempts: number; delivered: number }[] };

/** What waits for each of these endpoints, and their last 24 hours, by id: two statements for all of them. */
export async function selectActivity(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, EndpointActivity>> {
  const [backlogs, days] = await Promise.all([selectBacklogs(db, ids), selectHours(db, ids)]);
  return new Map(
    backlogs.map((row) => [
      row.id,
      {
        backlog: capCount(row.backlog, countedTo),
        oldest_due_at: row.oldest_due_at?.toISOString() ?? null,
        dead_letters: capCount(row.dead_letters, countedTo),
        hours: days.get(row.id) ?? [],
      },
    ]),
  );
}

/** Along deliveries_due, deliveries_blocked and deliveries_endpoint_dead, whose conditions these repeat. */
async function selectBacklogs(db: Queryable, ids: readonly string[]): Promise<BacklogRow[]> {
  const some = (condition: string) =>
    `select from posthorn.deliveries where endpoint_id = i.id and ${condition} limit ${countedTo + 1}`;
  const waiting = "state in ('pending', 'failed')";
  const { rows } = await db.query<BacklogRow>({
    text: `
select i.id,
  (select count(*)::int from (
    (${some(`${waiting} and not blocked`)}) union all (${some(`blocked and ${waiting}`)})) waiting) as backlog,
  (select count(*)::int from (${some("state = 'dead_letter'")}) dead) as dead_letters,
  (select next_attempt_at from posthorn.deliveries
   where endpoint_id = i.id and ${waiting} and not blocked and next_attempt_at <= now()
   order by next_attempt_at limit 1) as oldest_due_at
from unnest($1::uuid[]) i (id)`,
    values: [plainArray(ids)],
  });
  return rows;
}

/** Hour by hour along the key of endpoint_latency: its buckets' times are listed, so that each is one probe. */
async function selectHours(db: Queryable, ids: readonly string[]): Promise<Map<string, HoursRow["hours"]>> {
  const { rows } = await db.query<HoursRow>({
    text: `
with hour as (
  select date_trunc('hour', now(), 'UTC') - n * interval '1 hour' as at from generate_series(0, ${hoursShown - 1}) n
), counted as (
  select endpoint_id, bucket_at, sum(attempts)::int as attempts, sum(delivered)::int as delivered
  from posthorn.endpoint_latency
  where resolution = 'hour' and bucket_at = any(array(select at from hour)) and endpoint_id = any($1::uuid[])
  group by endpoint_id, bucket_at
)
select i.id, json_agg(json_build_object('attempts', coalesce(c.attempts, 0), 'delivered', coalesce(c.delivered, 0))
  order by h.at) as hours
from unnest($1::uuid[]) i (id) cross join hour h left join counted c on c.endpoint_id = i.id and c.bucket_at = h.at
group by i.id`,
    values: [plainArray(ids)],
  });
  return new Map(rows.map(({ id, hours }) => [id, hours]));
}
