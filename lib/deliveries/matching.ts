import { and, type SQL, sql } from "drizzle-orm";
import { deliveries, endpoints, events, requeueBatches } from "#drizzle/schema/index.ts";
import { narrowedTo, type Scope } from "#lib/affiliates/queries.ts";
import type { Orm } from "#lib/db/database.ts";
import { eventIdsByHash } from "#lib/search/queries.ts";
import { type DeliveryState, deliveryStates, type StatusClass } from "#lib/vocabulary.ts";
import type { DeliveryFilterValues } from "./schema.ts";

/** A type with fewer events than this, of the affiliate if one is named, is found by them; others turn up soon on a walk. */
const rareEvents = 20_000;
/** Ids rise in order of acceptance, but for transactions that overlap: none is open for longer. */
const overlapSeconds = 60;

/** What a delivery has that never fails once it goes out first: nothing of this. Also the index's predicate. */
const isTroubled = sql.raw(
  "(d.reason is not null or d.attempt_number > 1 or d.last_status >= 300 or d.state in ('failed', 'dead_letter', 'skipped', 'discarded'))",
);
const troubledStates: readonly DeliveryState[] = ["failed", "dead_letter", "skipped", "discarded"];
/** The first attempt of a delivery that has none of the above. */
const firstTroubledAttempt = 2;

const classRanges = {
  "2xx": "d.last_status between 200 and 299",
  "3xx": "d.last_status between 300 and 399",
  "4xx": "d.last_status between 400 and 499",
  "5xx": "d.last_status between 500 and 599",
  none: "d.last_status is null and d.reason is not null and d.attempt_number > 0",
} satisfies Record<StatusClass, string>;

/** Deliveries of the events that the hash names, or of this one, or this delivery. */
export type Sought = { hash: string; event?: string | undefined; delivery?: string | undefined };

export type DeliveryMatch = DeliveryFilterValues & { scope: Scope; sought?: Sought | undefined };

/** What was learnt before the statement is made: the ids between which a span of time lies, and how rare a type is. */
export type PreparedMatch = DeliveryMatch & {
  firstId: string | null;
  endId: string | null;
  typeIsRare: boolean;
};

/** A few cheap reads, and only for filters that need them. */
export async function prepareMatch(orm: Orm, asked: DeliveryMatch): Promise<PreparedMatch> {
  const named = asked.type === undefined ? asked : await withAffiliateId(orm, asked);
  const match = asked.attempts_max === 0 ? { ...named, state: unattempted(asked.state) } : named;
  const { from, to } = match;
  const isWalk = match.event === undefined && match.sought === undefined && match.requeue === undefined;
  return {
    ...match,
    firstId: from === undefined || !isWalk ? null : await firstIdSince(orm, Date.parse(from) - overlapMs),
    endId: to === undefined || !isWalk ? null : await firstIdSince(orm, Date.parse(to) + overlapMs),
    typeIsRare: isWalk && !impliesTrouble(match) && (await isRareType(orm, match)),
  };
}

/** By its id the planner knows how many of the deliveries are the affiliate's, and by its key it does not. */
async function withAffiliateId(
  orm: Orm,
  { affiliate: key, ...match }: DeliveryMatch,
): Promise<DeliveryMatch> {
  if (key === undefined) return match;
  const { rows } = await orm.execute<{ id: string | null }>(
    sql`select ${narrowedTo({ key, scope: match.scope })} as id`,
  );
  return { ...match, scope: rows[0]?.id ?? nobody };
}

const nobody = "00000000-0000-0000-0000-000000000000";
const overlapMs = overlapSeconds * 1_000;

/** Those of the states that a delivery can stand in without an attempt: none of the many that were delivered. */
function unattempted(states: readonly DeliveryState[] = deliveryStates): DeliveryState[] {
  return states.filter((state) => state !== "delivered" && state !== "in_flight");
}

/** Halves the ids until it stands at the first delivery that was made at or after this time: 30 probes at most. */
async function firstIdSince(orm: Orm, timeMs: number): Promise<string> {
  const time = sql`to_timestamp(${timeMs / 1_000}::float8)`;
  const { rows } = await orm.execute<{ id: string }>(sql`
    with recursive search (low, high) as (
      select coalesce(min(id), 1), coalesce(max(id), 0) + 1 from ${deliveries}
      union all
      select case when probe.before then probe.middle + 1 else low end,
        case when probe.before then high else probe.middle end
      from search cross join lateral (
        select (low + high) / 2 as middle, coalesce((
          select d.created_at < ${time} from ${deliveries} d where d.id >= (low + high) / 2 order by d.id limit 1), false) as before
      ) probe where low < high
    ) select max(low)::text as id from search`);
  return rows[0]?.id ?? "1";
}

async function isRareType(orm: Orm, match: DeliveryMatch): Promise<boolean> {
  if (match.type === undefined) return false;
  const { rows } = await orm.execute<{ n: number }>(
    sql`select count(*)::int as n from (${eventsOfType(match)}) found`,
  );
  return (rows[0]?.n ?? 0) < rareEvents;
}

/** Along events_type, or events_affiliate_type. */
function eventsOfType(match: DeliveryMatch): SQL {
  const affiliate = narrowedTo({ key: match.affiliate, scope: match.scope });
  const wanted = and(sql`e.type = ${match.type}`, affiliate && sql`e.affiliate_id = ${affiliate}`);
  return sql`select e.id from ${events} e where ${wanted} limit ${rareEvents}`;
}

type Walk = {
  /** Undefined for all. */
  where?: SQL | undefined;
  /** Undefined where only their number matters. */
  orderBy?: SQL | undefined;
  limit: number;
};

/**
 * A select of the ids of the deliveries `d` that match, at most `limit`, by a way that is short for these filters: by their
 * events; by the batches of a requeue; along deliveries_troubled, which answers every filter that a smooth delivery fails without a look at the table;
 * along deliveries_state or _leased for what waits or is sent; merged from the affiliate's endpoints; or along the key.
 */
export function matchingIds(match: PreparedMatch, walk: Walk): SQL {
  const parts = branches(match).map((branch) => sql`(${branchIds(match, branch, walk)})`);
  const [only] = parts;
  if (only && parts.length === 1) return only;
  return sql`select d.id from (${sql.join(parts, sql` union all `)}) d ${tail(walk)}`;
}

/** One stretch of the deliveries; `merged`: from each endpoint of the affiliate. */
type Branch = { condition: SQL | undefined; merged?: boolean };

function branches(match: PreparedMatch): Branch[] {
  const { state: states, event, sought, requeue, type } = match;
  const inStates = states && isIn(states);
  if (event !== undefined) return [{ condition: and(sql`d.event_id = ${event}`, inStates) }];
  if (sought !== undefined) return [{ condition: and(among(sought), inStates) }];
  if (requeue !== undefined) return [{ condition: inStates }];
  if (impliesTrouble(match)) return [{ condition: and(isTroubled, inStates) }];
  if (match.typeIsRare) return [{ condition: and(ofRareType(match), inStates) }];
  // Of a type that is not rare, many of the affiliate's endpoints may have nothing, and be read from end to end for it.
  if (states === undefined || states.length === 0 || states.includes("delivered"))
    return [{ condition: inStates, merged: type === undefined }];
  const troubled = states.filter((state) => troubledStates.includes(state));
  const others = states.filter((state) => !troubledStates.includes(state));
  return [
    ...(troubled.length > 0 ? [{ condition: and(isTroubled, isIn(troubled)) }] : []),
    ...others.map((state) => ({ condition: isIn([state]) })),
  ];
}

/** Whether only a delivery in deliveries_troubled can match. */
function impliesTrouble({ state, reason, status_class, attempts_min = 0 }: DeliveryMatch): boolean {
  return (
    reason !== undefined ||
    (status_class !== undefined && status_class !== "2xx") ||
    attempts_min >= firstTroubledAttempt ||
    (state !== undefined && state.length > 0 && state.every((one) => troubledStates.includes(one)))
  );
}

function branchIds(match: PreparedMatch, { condition, merged = false }: Branch, walk: Walk): SQL {
  const affiliate = narrowedTo({ key: match.affiliate, scope: match.scope });
  const own = and(condition, ...conditions(match), walk.where);
  if (affiliate === undefined || !merged || match.endpoint !== undefined) {
    const within = and(own, affiliate && ofAffiliate(affiliate, match.endpoint)) ?? sql`true`;
    // Along an index also where only their number matters: without an order the planner may read the whole table for it.
    const along = walk.orderBy ?? sql`d.id desc`;
    return sql`select d.id from ${deliveries} d where ${within} ${tail({ ...walk, orderBy: along })}`;
  }
  // Deliveries have no index by affiliate, which every claim would pay for; its endpoints are few.
  return sql`select d.id from ${endpoints} e cross join lateral (
      select d.id from ${deliveries} d where ${and(sql`d.endpoint_id = e.id`, own)} ${tail(walk)}) d
    where e.affiliate_id = ${affiliate} ${tail(walk)}`;
}

/** An endpoint stays with its affiliate, so that one look says it of all its deliveries. */
function ofAffiliate(affiliate: SQL, endpoint: string | undefined): SQL {
  return endpoint === undefined
    ? sql`d.affiliate_id = ${affiliate}`
    : sql`exists (select from ${endpoints} e where e.id = ${endpoint} and e.affiliate_id = ${affiliate})`;
}

function tail({ orderBy, limit }: Walk): SQL {
  return orderBy ? sql`order by ${orderBy} limit ${limit}` : sql`limit ${limit}`;
}

function conditions(match: PreparedMatch): (SQL | undefined)[] {
  const { reason, status_class, endpoint, requeue, type, from, to, firstId, endId } = match;
  const { attempts_min, attempts_max } = match;
  return [
    requeue === undefined ? undefined : putBackBy(requeue),
    reason && sql.raw(`d.reason = '${reason}'`),
    status_class && sql.raw(classRanges[status_class]),
    endpoint === undefined ? undefined : sql`d.endpoint_id = ${endpoint}`,
    type === undefined ? undefined : sql`d.event_type = ${type}`,
    attempts_min === undefined ? undefined : sql`d.attempt_number >= ${attempts_min}`,
    attempts_max === undefined ? undefined : sql`d.attempt_number <= ${attempts_max}`,
    from === undefined ? undefined : sql`d.created_at >= ${from}::timestamptz`,
    to === undefined ? undefined : sql`d.created_at < ${to}::timestamptz`,
    firstId === null ? undefined : sql`d.id >= ${firstId}::bigint`,
    endId === null ? undefined : sql`d.id < ${endId}::bigint`,
  ];
}

/** Literals, not parameters, so that the partial indexes apply to any plan. */
function isIn(states: readonly DeliveryState[]): SQL {
  if (states.length === 0) return sql`false`;
  return sql.raw(`d.state in (${states.map((state) => `'${state}'`).join(", ")})`);
}

/**
 * Event by event along deliveries_event, whatever the statistics say: `offset 0` keeps the planner from turning it
 * into a walk over all deliveries.
 */
function among({ hash, event, delivery }: Sought): SQL {
  return sql`d.id = any(array(
    select o.id from unnest(${eventIdsByHash(hash)} || ${event ?? null}::text) found (event_id)
      cross join lateral (select o.id from ${deliveries} o where o.event_id = found.event_id offset 0) o
    union all select ${delivery ?? null}::bigint))`;
}

/** Along the primary key or, of those that failed again, deliveries_troubled. */
function putBackBy(requeue: string): SQL {
  return sql`d.id = any(array(select unnest(b.ids) from ${requeueBatches} b where b.requeue_id = ${requeue}))`;
}

function ofRareType(match: DeliveryMatch): SQL {
  return sql`d.id = any(array(
    select o.id from (${eventsOfType(match)}) found
      cross join lateral (select o.id from ${deliveries} o where o.event_id = found.id offset 0) o))`;
}
