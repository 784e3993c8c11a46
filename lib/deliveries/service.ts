import type { Page } from "#lib/api/paging.ts";
import { recordAudit } from "#lib/audit/record.ts";
import type { Actor } from "#lib/auth/actor.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inTransaction } from "#lib/db/database.ts";
import { webhookBody } from "#lib/delivery/request.ts";
import { notFound, Problem } from "#lib/errors.ts";
import { placeInOrder } from "#lib/queue/ordering.ts";
import { resendDelivery as putBack, type ResendResult } from "#lib/queue/resend.ts";
import { wakeWorkers } from "#lib/queue/wake.ts";
import { selectAttempts, selectDeliveries, selectDelivery, selectDeliveryEvent } from "./queries.ts";
import type { Delivery, DeliveryDetail, DeliveryListQuery, DeliveryResend } from "./schema.ts";

type Refusal = Exclude<ResendResult, "resent" | "not_found">;

const refusals = {
  in_flight: "It is being sent right now.",
  already_waiting: "It waits to be sent already.",
  body_purged: "The event's data has been purged, so there is nothing left to send.",
  endpoint_deleted: "Its endpoint has been deleted.",
  superseded:
    "A later delivery of its ordering key has been attempted: sent now, it would arrive out of order.",
} satisfies Record<Refusal, string>;

/** One page of deliveries, newest first. */
export async function listDeliveries(_actor: Actor, query: DeliveryListQuery): Promise<Page<Delivery>> {
  return selectDeliveries(appDatabase().orm, query);
}

/** One delivery with its attempts and the exact body that they send; 404 when there is none. */
export async function getDelivery(_actor: Actor, id: string): Promise<DeliveryDetail> {
  const { orm, pool } = appDatabase();
  const [delivery, event, place] = await Promise.all([
    selectDelivery(orm, id),
    selectDeliveryEvent(pool, id),
    placeInOrder(pool, id),
  ]);
  if (!delivery || !event) throw notFound("delivery");
  const { occurredAt, data } = event;
  const refusal = resendRefusal(delivery, {
    isPurged: data === null,
    isSuperseded: place?.superseded ?? false,
  });
  return {
    ...delivery,
    occurred_at: occurredAt.toISOString(),
    request_body: data
      ? webhookBody({ id: delivery.event_id, type: delivery.event_type, occurredAt, data }).toString("utf8")
      : null,
    attempts: await selectAttempts(pool, delivery),
    blocked_by: place?.blockedBy ?? null,
    resend_refusal: refusal && refusals[refusal],
    superseded: refusal === "superseded",
  };
}

/**
 * Puts a delivery back with a fresh set of attempts. 409 while it is sent or waits, has nothing to send, or, unless
 * forced, when its ordering key has moved on.
 */
export async function resendDelivery(actor: Actor, id: string, { force }: DeliveryResend): Promise<Delivery> {
  const { pool } = appDatabase();
  const delivery = await inTransaction(appDatabase(), async ({ client, orm }) => {
    const before = await selectDelivery(orm, id);
    const result = await putBack(client, id, { force });
    if (!before || result === "not_found") throw notFound("delivery");
    if (result !== "resent") throw new Problem(result, refusals[result]);
    await recordAudit(orm, actor, {
      action: "delivery.resend",
      objectKind: "delivery",
      objectId: id,
      affiliateId: before.affiliate.id,
      before: { state: before.state, reason: before.reason, attempts_charged: before.attempts_charged },
      after: { state: "pending", reason: null, attempts_charged: 0, ...(force ? { force } : {}) },
    });
    return (await selectDelivery(orm, id)) ?? before;
  });
  wakeWorkers(pool);
  return delivery;
}

/** The refusal that a resend would meet now, in the order in which the queue judges it. */
function resendRefusal(
  delivery: Delivery,
  { isPurged, isSuperseded }: { isPurged: boolean; isSuperseded: boolean },
): Refusal | null {
  if (delivery.state === "in_flight") return "in_flight";
  if (delivery.state === "pending") return "already_waiting";
  if (delivery.endpoint.status === "deleted") return "endpoint_deleted";
  if (isPurged) return "body_purged";
  return isSuperseded ? "superseded" : null;
}
