import type pg from "pg";
import type { Reason } from "#lib/vocabulary.ts";

let batches = 0;

/** Dead letters of an endpoint, a minute apart, the latest now; times and answers as the worker stores them. */
export async function addDeadLetters(
  pool: pg.Pool,
  given: {
    endpointId: string;
    affiliateId: string;
    count: number;
    reason: Reason;
    status?: number;
    agoHours?: number;
    eventType?: string;
  },
): Promise<void> {
  await pool.query(
    `insert into posthorn.deliveries (event_id, event_received_at, event_type, affiliate_id, endpoint_id, state, reason,
       last_status, attempt_number, attempts_charged, ended_at)
     select $8 || n, now(), $7, $2, $1::uuid, 'dead_letter', $4, $5, 1, 1,
       now() - $6 * interval '1 hour' - ($3 - n) * interval '1 minute'
     from generate_series(1, $3::int) n`,
    [
      given.endpointId,
      given.affiliateId,
      given.count,
      given.reason,
      given.status ?? null,
      given.agoHours ?? 0,
      given.eventType ?? "deposit",
      `letter-${++batches}-${given.endpointId}-`,
    ],
  );
}
