import { z } from "zod";
import { type Actor, refuseLimited } from "#lib/auth/actor.ts";
import { secretKeys } from "#lib/config.ts";
import { appDatabase } from "#lib/db/app.ts";
import { deliveryId } from "#lib/deliveries/schema.ts";
import { quantileMs } from "#lib/delivery/latency.ts";
import { eventId } from "#lib/events/schema.ts";
import { searchHash } from "#lib/search/hash.ts";
import { selectFoundByHash } from "#lib/search/queries.ts";
import {
  type Minute,
  selectEndpointCounts,
  selectFound,
  selectHourLatency,
  selectMinutes,
  selectStanding,
} from "./queries.ts";
import type { FindRequest, Found, Overview } from "./schema.ts";

/** The pipeline at a glance: what waits now, and what the last hour was like. 403 for who is limited to an affiliate. */
export async function getOverview(actor: Actor): Promise<Overview> {
  refuseLimited(actor);
  const { orm, pool } = appDatabase();
  const [standing, endpoints, minutes, latency] = await Promise.all([
    selectStanding(pool),
    selectEndpointCounts(orm),
    selectMinutes(pool),
    selectHourLatency(pool),
  ]);
  const delivered = total(minutes, "delivered");
  return {
    ...standing,
    endpoints,
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

/** What has this id, a delivery, an endpoint or an event, and what has it as a searchable value. */
export async function find(_actor: Actor, { q }: FindRequest): Promise<Found> {
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
