import { z } from "zod";
import { countOpenAlerts } from "#lib/alerts/queries.ts";
import type { Actor } from "#lib/auth/actor.ts";
import { authorize } from "#lib/auth/permissions.ts";
import { secretKeys } from "#lib/config.ts";
import { appDatabase } from "#lib/db/app.ts";
import { deliveryId } from "#lib/deliveries/schema.ts";
import { quantileMs } from "#lib/delivery/latency.ts";
import { existing } from "#lib/errors.ts";
import { eventId } from "#lib/events/schema.ts";
import { searchHash } from "#lib/search/hash.ts";
import { selectFoundByHash } from "#lib/search/queries.ts";
import { breakerTrack, historyWindow, mergeHistory } from "./history.ts";
import {
  type Minute,
  selectBreakerChanges,
  selectEndpointCounts,
  selectFound,
  selectHistory,
  selectHourLatency,
  selectMinutes,
  selectStanding,
  selectSubject,
} from "./queries.ts";
import type { FindRequest, Found, History, HistoryQuery, Overview } from "./schema.ts";

/** The pipeline at a glance: what waits now, and what the last hour was like. */
export async function getOverview(actor: Actor): Promise<Overview> {
  authorize(actor, "deployment.read");
  const { orm, pool } = appDatabase();
  const [standing, endpoints, openAlerts, minutes, latency] = await Promise.all([
    selectStanding(pool),
    selectEndpointCounts(orm),
    countOpenAlerts(orm),
    selectMinutes(pool),
    selectHourLatency(pool),
  ]);
  const delivered = total(minutes, "delivered");
  return {
    ...standing,
    endpoints,
    open_alerts: openAlerts,
    hour_from: (minutes[0]?.minute ?? new Date(standing.at)).toISOString(),
    delivered_last_hour: delivered,
    failed_attempts_last_hour: total(minutes, "failed"),
    new_dead_letters_last_hour: total(minutes, "dead_letters"),
    mean_success_ms: delivered > 0 ? total(minutes, "delivered_ms_sum") / delivered : null,
    p50_ms: quantileMs(latency, 0.5),
    p95_ms: quantileMs(latency, 0.95),
    p99_ms: quantileMs(latency, 0.99),
    throughput: minutes.map(({ minute, delivered, failed }) => ({
      minute: minute.toISOString(),
      delivered,
      failed,
    })),
  };
}

/**
 * Percentiles and outcomes over time of an endpoint, an affiliate, or all that the actor may see, from the roll-ups,
 * within 1 % of the raw samples and some 15 s behind them; of one endpoint also what its breaker did. 404 for an
 * endpoint or affiliate that is not there.
 */
export async function getHistory(actor: Actor, query: HistoryQuery): Promise<History> {
  authorize(actor, "stats.read");
  const { pool } = appDatabase();
  const subject = await selectSubject(pool, { ...query, scope: actor.affiliateId });
  const subjectId = existing(subject.id, query.endpoint === undefined ? "affiliate" : "endpoint");
  const window = historyWindow(query, subject.nowMs);
  const [rows, breaker] = await Promise.all([
    selectHistory(pool, { subjectId, window }),
    query.endpoint === undefined ? null : selectBreakerChanges(pool, { endpointId: subjectId, window }),
  ]);
  const until = { fromMs: window.fromMs, toMs: Math.min(window.toMs, subject.nowMs) };
  return {
    from: new Date(window.fromMs).toISOString(),
    to: new Date(window.toMs).toISOString(),
    resolution: window.resolution,
    ...mergeHistory(rows, window),
    breaker: breaker && breakerTrack(breaker, until),
    at: new Date(subject.nowMs).toISOString(),
  };
}

/** What has this id, a delivery, an endpoint or an event, and what has it as a searchable value. */
export async function find(actor: Actor, { q }: FindRequest): Promise<Found> {
  authorize(actor, "deployment.read");
  const { pool } = appDatabase();
  const ids = {
    delivery: deliveryId.safeParse(q).data ?? null,
    endpoint: z.uuid().safeParse(q).data ?? null,
    event: eventId.safeParse(q).data ?? null,
  };
  const hash = searchHash(q, secretKeys());
  const [found, byValue] = await Promise.all([selectFound(pool, ids), selectFoundByHash(pool, hash)]);
  const kinds = ["delivery", "endpoint", "event"] as const;
  const byId: Hit[] = kinds.flatMap((kind) => (found[kind] ? [{ kind, id: q }] : []));
  const hit = valueHit(byValue, hash);
  const isKnown = byId.some(({ kind, id }) => kind === hit?.kind && id === hit.id);
  return { data: hit && !isKnown ? [...byId, hit] : byId };
}

type Hit = Found["data"][number];

function valueHit(
  { events, latest, delivered }: Awaited<ReturnType<typeof selectFoundByHash>>,
  hash: string,
): Hit | null {
  if (latest === null) return null;
  if (delivered) return { kind: "deliveries_by_value", id: hash };
  return events === 1 ? { kind: "event", id: latest } : { kind: "events_by_value", id: hash };
}

function total(
  minutes: Minute[],
  name: "delivered" | "failed" | "dead_letters" | "delivered_ms_sum",
): number {
  return minutes.reduce((sum, minute) => sum + minute[name], 0);
}
