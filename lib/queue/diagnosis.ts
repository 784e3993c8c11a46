import type pg from "pg";
import { parseIntegers, plainArray, textArray } from "#lib/db/arrays.ts";
import type { Queryable } from "#lib/db/database.ts";
import { diagnose, endpointsInQuestion } from "#lib/delivery/diagnose.ts";
import { poisonReasons } from "#lib/delivery/diagnosis/poison.ts";
import {
  bucketMs,
  type DeadLetterGroup,
  type FailingEvent,
  type Finding,
  findingKey,
} from "#lib/delivery/diagnosis/types.ts";
import type { FindingKind, Reason } from "#lib/vocabulary.ts";
import { alone } from "./alone.ts";
import { selectHistories } from "./endpoint-histories.ts";

/** As long as the bodies are kept: what is older cannot be put back. */
const windowDays = 30;
const mostEventsLookedAt = 500;

/** A finding that appeared or ended, told once. */
type AlertChange = {
  id: string;
  kind: FindingKind;
  state: "opened" | "ended";
  endpointId: string | null;
};

/**
 * Looks at the dead letters of 30 days and brings the alerts in line with what they show. Returns what changed;
 * nothing where another worker is at it.
 */
export async function diagnoseDeadLetters(pool: pg.Pool): Promise<AlertChange[]> {
  let changes: AlertChange[] = [];
  await alone(pool, "posthorn.diagnosis", async () => {
    const { groups, nowMs } = await selectGroups(pool);
    const open = await selectOpen(pool);
    const failingEvents = await selectFailingEvents(pool, open);
    const ids = endpointsInQuestion({ groups, failingEvents, open });
    const histories = await selectHistories(pool, { ids, days: windowDays });
    const findings = diagnose({ groups, histories, failingEvents, open, nowMs });
    const letters = groups.reduce(
      (sum, { buckets }) => buckets.reduce((inner, { count }) => inner + count, sum),
      0,
    );
    changes = await bringInLine(pool, { findings, letters });
    return changes.length;
  });
  return changes;
}

/**
 * Along deliveries_dead_letters alone. Arrays, since half a million letters may lie in nearly as many stretches: read
 * as rows they would cost the worker a second, so it is tens of milliseconds.
 */
async function selectGroups(db: Queryable): Promise<{ groups: DeadLetterGroup[]; nowMs: number }> {
  const { rows } = await db.query<{
    endpoint_id: string;
    reason: Reason;
    status: number | null;
    event_type: string;
    buckets: string;
    counts: string;
    samples: string;
    attempts: string;
  }>(`
    select endpoint_id, reason, status, event_type,
      array_agg(bucket)::text as buckets, array_agg(n)::text as counts, array_agg(sample)::text as samples,
      array_agg(attempts)::text as attempts
    from (
      select endpoint_id, reason, last_status as status, event_type, count(*)::int as n, max(id) as sample,
        max(attempts_charged) as attempts,
        floor(date_part('epoch', ended_at) / ${bucketMs / 1_000})::int as bucket
      from posthorn.deliveries
      where state = 'dead_letter' and ended_at >= now() - interval '${windowDays} days' and reason is not null
      group by endpoint_id, reason, last_status, event_type, bucket
    ) stretch group by endpoint_id, reason, status, event_type`);
  const now = await db.query<{ now: Date }>("select now() as now");
  const groups = rows.map(({ endpoint_id, reason, status, event_type, ...arrays }) => {
    const counts = parseIntegers(arrays.counts);
    const samples = parseIntegers(arrays.samples);
    const attempts = parseIntegers(arrays.attempts);
    const buckets = parseIntegers(arrays.buckets).map((number, i) => ({
      number,
      count: counts[i] ?? 0,
      sampleId: samples[i] ?? 0,
      attempts: attempts[i] ?? 0,
    }));
    return { endpointId: endpoint_id, reason, status, eventType: event_type, buckets };
  });
  return { groups, nowMs: now.rows[0]?.now.getTime() ?? 0 };
}

/**
 * Events with a dead letter at two endpoints or more and nothing at any other. At most 500: those that a server failed
 * at come last, since an outage makes as many of them as there were events. Beside them those that were found before,
 * of which some may wait to be tried again.
 */
async function selectFailingEvents(db: Queryable, open: readonly Finding[]): Promise<FailingEvent[]> {
  const known = open.flatMap(({ kind, eventId }) => (kind === "poison" && eventId !== null ? [eventId] : []));
  const { rows } = await db.query<{
    event_id: string;
    event_type: string;
    affiliate_id: string;
    id: string;
    endpoint_id: string;
    reason: Reason;
    last_status: number | null;
    ended_at: Date;
    waiting: number;
  }>(
    `with failing as (
       select event_id from posthorn.deliveries
       where state = 'dead_letter' and ended_at >= now() - interval '${windowDays} days'
         and reason = any($1::posthorn.reason[])
       group by event_id having count(*) >= 2
       order by bool_or(reason = 'server_error'), min(ended_at) limit ${mostEventsLookedAt}
     ), candidate as materialized (
       select c.event_id, count(*) filter (where o.state <> 'delivered')::int as waiting
       from (select event_id from failing union select unnest($2::text[])) c
       left join posthorn.deliveries o
         on o.event_id = c.event_id and o.state in ('pending', 'in_flight', 'failed', 'delivered')
       group by c.event_id having count(*) filter (where o.state = 'delivered') = 0
     )
     select d.event_id, d.event_type, d.affiliate_id, d.id, d.endpoint_id, d.reason, d.last_status, d.ended_at, c.waiting
     from candidate c join posthorn.deliveries d on d.event_id = c.event_id and d.state = 'dead_letter'
     where d.reason is not null and d.ended_at >= now() - interval '${windowDays} days' and (c.waiting = 0 or c.event_id = any($2::text[]))`,
    [plainArray(poisonReasons), textArray(known)],
  );
  return [...Map.groupBy(rows, (row) => row.event_id)].map(([eventId, of]) => ({
    eventId,
    eventType: of[0]?.event_type ?? "",
    affiliateId: of[0]?.affiliate_id ?? "",
    waiting: of[0]?.waiting ?? 0,
    letters: of.map((row) => ({
      deliveryId: Number(row.id),
      endpointId: row.endpoint_id,
      reason: row.reason,
      status: row.last_status,
      endedAtMs: row.ended_at.getTime(),
    })),
  }));
}

/** What was found the last time; one at a time looks, so nobody changes it meanwhile. */
async function selectOpen(db: Queryable): Promise<Finding[]> {
  const { rows } = await db.query<
    Omit<Finding, keyof StoredFinding> & { finding: StoredFinding }
  >(`select kind, affiliate_id as "affiliateId", endpoint_id as "endpointId", event_type as "eventType",
       event_id as "eventId", reason, finding from posthorn.alerts where state = 'open'`);
  return rows.map(({ finding, ...row }) => ({ ...row, ...finding, run: finding.run ?? null }));
}

/**
 * What is found and not open opens, what is open and not found ends, the rest is brought up to date. One statement, so
 * that it is whole or not at all; done twice it changes nothing the second time.
 */
async function bringInLine(
  db: Queryable,
  { findings, letters }: { findings: Finding[]; letters: number },
): Promise<AlertChange[]> {
  const given = findings.map((finding) => ({
    key: findingKey(finding),
    kind: finding.kind,
    affiliate_id: finding.affiliateId,
    endpoint_id: finding.endpointId,
    event_type: finding.eventType,
    event_id: finding.eventId,
    reason: finding.reason,
    count: finding.evidence.count,
    finding: storedPart(finding),
  }));
  const { rows } = await db.query<{
    id: string;
    kind: FindingKind;
    state: AlertChange["state"];
    endpoint_id: string | null;
  }>(
    `with given as materialized (
       select * from json_to_recordset($1::json) as g (key text, kind posthorn.finding_kind, affiliate_id uuid,
         endpoint_id uuid, event_type text, event_id text, reason posthorn.reason, count int, finding json)
     ), seen as (
       update posthorn.alerts a set last_seen_at = now(), count = g.count, finding = g.finding
       from given g where a.state = 'open' and a.key = g.key
     ), ended as (
       update posthorn.alerts a set state = 'ended', ended_at = now()
       where a.state = 'open' and not exists (select from given g where g.key = a.key)
       returning id, kind, 'ended' as state, endpoint_id
     ), opened as (
       insert into posthorn.alerts (key, kind, affiliate_id, endpoint_id, event_type, event_id, reason, count, finding)
       select * from given g
       where not exists (select from posthorn.alerts a where a.state = 'open' and a.key = g.key)
       on conflict (key) where state = 'open' do nothing
       returning id, kind, 'opened' as state, endpoint_id
     ), looked as (
       insert into posthorn.diagnoses as d (id, at, dead_letters) values (1, now(), $2)
       on conflict (id) do update set at = excluded.at, dead_letters = excluded.dead_letters
     )
     select * from opened union all select * from ended order by id`,
    [JSON.stringify(given), letters],
  );
  return rows.map(({ id, kind, state, endpoint_id }) => ({ id, kind, state, endpointId: endpoint_id }));
}

/** What is in no column of its own. */
type StoredFinding = Pick<Finding, "run" | "evidence" | "sentence" | "remedy" | "actions">;

function storedPart({ run, evidence, sentence, remedy, actions }: Finding): StoredFinding {
  return { run, evidence, sentence, remedy, actions };
}
