import type pg from "pg";
import { lostLimit } from "#lib/queue/suspect.ts";
import type { Received } from "./receiver.ts";

/** What a worker held when it was killed or stopped. */
export type Down = { workerId: string; eventIds: string[] };

export type Findings = {
  accepted: number;
  /** Accepted events that the receiver got. */
  received: number;
  /** Requests for an event that the receiver had answered 200 already. */
  repeated: number;
  /** Accepted events that it never got. */
  lost: number;
  /** Dead letters whose workers went down three times in a row while they sent them, which is the rule. */
  given_up: number;
  largest_in_flight_at_kill: number;
  /** In words; empty when all is well. */
  disagreements: string[];
};

type Attempt = { event_id: string; number: number; outcome: string; status: number | null; late: boolean };

/** Holds the receiver's log against the database (docs/architecture.md, "Tests"). */
export async function verify(
  pool: pg.Pool,
  found: { accepted: ReadonlySet<string>; log: Received[]; downs: Down[] },
): Promise<Findings> {
  const { accepted, log, downs } = found;
  const disagreements: string[] = [];
  const disagree = (what: string, ids: string[]) => {
    if (ids.length > 0) disagreements.push(`${what}: ${ids.length}, such as ${ids.slice(0, 5).join(", ")}`);
  };

  const requests = Map.groupBy(log, (request) => request.eventId);
  const lost = [...accepted].filter((id) => !requests.has(id));
  disagree("events that were accepted and never received", lost);
  disagree(
    "events that were received and never accepted",
    [...requests.keys()].filter((id) => !accepted.has(id)),
  );

  const answered = new Set(log.filter(({ status }) => status === 200).map(({ eventId }) => eventId));
  disagree(
    "deliveries that are delivered and were never answered 200",
    (await readIds(pool, "select event_id as id from posthorn.deliveries where state = 'delivered'")).filter(
      (id) => !answered.has(id),
    ),
  );

  const timesDown = new Map<string, number>();
  for (const id of downs.flatMap(({ eventIds }) => eventIds)) timesDown.set(id, (timesDown.get(id) ?? 0) + 1);
  const repeats = [...requests].map(([id, all]) => ({ id, times: repeatsIn(all) }));
  disagree(
    "events repeated more often than a worker went down with them",
    repeats.filter(({ id, times }) => times > (timesDown.get(id) ?? 0)).map(({ id }) => id),
  );

  const attempts = await readAttempts(pool);
  compareAttempts(log, attempts, disagree);
  await checkRest(pool, disagree);
  const givenUp = await deadLettersOf(pool);
  disagree(
    "deliveries that were given up though fewer than three workers went down with them",
    givenUp.filter((id) => (timesDown.get(id) ?? 0) < lostLimit),
  );

  return {
    accepted: accepted.size,
    received: accepted.size - lost.length,
    repeated: repeats.reduce((sum, { times }) => sum + times, 0),
    lost: lost.length,
    given_up: givenUp.length,
    largest_in_flight_at_kill: Math.max(0, ...downs.map(({ eventIds }) => eventIds.length)),
    disagreements,
  };
}

function repeatsIn(requests: Received[]): number {
  const first = requests.findIndex(({ status }) => status === 200);
  return first < 0 ? 0 : requests.length - first - 1;
}

async function readAttempts(pool: pg.Pool): Promise<Attempt[]> {
  const { rows } = await pool.query<Attempt>(
    `select d.event_id, a.number, a.outcome, a.status, a.late
     from posthorn.delivery_attempts a join posthorn.deliveries d on d.id = a.delivery_id`,
  );
  return rows;
}

type Disagree = (what: string, ids: string[]) => void;

function compareAttempts(log: Received[], attempts: Attempt[], disagree: Disagree): void {
  const name = (eventId: string, number: number) => `${eventId}#${number}`;
  const logged = Map.groupBy(log, (request) => name(request.eventId, request.attempt));
  const recorded = Map.groupBy(attempts, (attempt) => name(attempt.event_id, attempt.number));
  disagree(
    "requests without an attempt",
    [...logged.keys()].filter((key) => !recorded.has(key)),
  );
  disagree(
    "attempts with a response that the receiver did not give",
    attempts
      .filter(({ status }) => status !== null)
      .filter((a) => !logged.get(name(a.event_id, a.number))?.some(({ status }) => status === a.status))
      .map((a) => name(a.event_id, a.number)),
  );
  // A connection that was reset is one that may have been dead before: such a request alone is sent twice.
  disagree(
    "attempts with more than one request",
    [...logged].filter(([, all]) => all.slice(0, -1).some(({ status }) => status !== 0)).map(([key]) => key),
  );
  const settled = attempts.filter(({ late, outcome }) => !late && outcome !== "worker_lost");
  const settledOnce = Map.groupBy(settled, (a) => name(a.event_id, a.number));
  disagree(
    "attempts settled twice",
    [...settledOnce].filter(([, all]) => all.length > 1).map(([key]) => key),
  );
}

const readIds = async (pool: pg.Pool, sql: string) =>
  (await pool.query<{ id: string }>(sql)).rows.map(({ id }) => id);

const deadLettersOf = (pool: pg.Pool) =>
  readIds(pool, "select event_id as id from posthorn.deliveries where state = 'dead_letter'");

/** Every counter and lease is back where it was before the first event. */
async function checkRest(pool: pg.Pool, disagree: Disagree): Promise<void> {
  const idsOf = (sql: string) => readIds(pool, sql);
  disagree(
    "deliveries that are neither delivered nor given up with their workers",
    await idsOf(`select event_id as id from posthorn.deliveries where state <> 'delivered'
      and not (state = 'dead_letter' and reason = 'worker_lost')`),
  );
  disagree(
    "leases that are left",
    await idsOf(
      "select event_id as id from posthorn.deliveries where lease_token is not null or leased_by is not null",
    ),
  );
  disagree(
    "endpoints whose counter of requests in flight is not 0",
    await idsOf("select endpoint_id as id from posthorn.endpoint_health where in_flight <> 0"),
  );
  disagree(
    "events that were fanned out more or less than once",
    await idsOf(`select e.id from posthorn.events e left join posthorn.deliveries d on d.event_id = e.id
      group by e.id having count(d.id) <> 1`),
  );
}
