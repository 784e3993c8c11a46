import { csvLine } from "#lib/api/csv.ts";
import { type CappedCount, capCount, type Page } from "#lib/api/paging.ts";
import { recordAudit } from "#lib/audit/record.ts";
import { type Actor, visibleTo } from "#lib/auth/actor.ts";
import { authorize, isAffiliate } from "#lib/auth/permissions.ts";
import { secretKeys } from "#lib/config.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inShortRead, inTransaction, type Queryable } from "#lib/db/database.ts";
import { webhookBody } from "#lib/delivery/request.ts";
import { existing, invalidField, notFound, Problem } from "#lib/errors.ts";
import { eventId } from "#lib/events/schema.ts";
import { loadEventTypeRules } from "#lib/queue/event-type-rules.ts";
import { placeInOrder } from "#lib/queue/ordering.ts";
import { type RenderAgainResult, renderAgain } from "#lib/queue/render-again.ts";
import { resendDelivery as putBack, type ResendRefusal } from "#lib/queue/resend.ts";
import { wakeWorkers } from "#lib/queue/wake.ts";
import { maskDelivery, maskerFor } from "#lib/redaction/masked.ts";
import type { ValueReveal } from "#lib/redaction/schema.ts";
import { searchHash } from "#lib/search/hash.ts";
import { reasonRemedies, reasonSentences } from "#lib/vocabulary.ts";
import { maxExportedDeliveries } from "./limits.ts";
import type { DeliveryMatch } from "./matching.ts";
import {
  countDeliveries,
  type DeliveryContent,
  selectAttempts,
  selectDeliveries,
  selectDelivery,
  selectDeliveryContent,
  selectNeighbours,
  selectResendsOfAffiliate,
} from "./queries.ts";
import {
  type Delivery,
  type DeliveryDetail,
  type DeliveryFilterQuery,
  type DeliveryListQuery,
  type DeliveryNeighbours,
  type DeliveryResend,
  type DeliverySearch,
  type DeliverySearchPage,
  deliveryId,
  type ResendAllowance,
} from "./schema.ts";

/** By an affiliate's own users (product.md, "Who uses it"). */
const maxResendsPerHour = 60;
const countedTo = 1_000;
const deliveriesPerRead = 1_000;

const refusals = {
  in_flight: "It is being sent right now.",
  already_waiting: "It waits to be sent already.",
  skipped: "It was never to be sent; only a postback can be rendered again.",
  cannot_render: "Its request could never be rendered; it can only be rendered again.",
  body_purged: "The event's data has been purged, so there is nothing left to send.",
  endpoint_deleted: "Its endpoint has been deleted.",
  superseded:
    "A later delivery of its ordering key has been attempted: sent now, it would arrive out of order.",
} satisfies Record<ResendRefusal, string>;

/** One page of deliveries, newest first. Rejects when that takes too long for these filters. */
export async function listDeliveries(actor: Actor, query: DeliveryListQuery): Promise<Page<Delivery>> {
  authorize(actor, "delivery.read");
  const { limit, cursor, ...filters } = query;
  return inShortRead(appDatabase(), (orm) =>
    selectDeliveries(orm, { limit, cursor, ...matchFor(actor, filters) }),
  );
}

/**
 * The newest 100,000 deliveries for the filters as CSV, in pieces, read page by page. It holds nothing of the events'
 * data. What is wrong with the first page rejects before anything is sent.
 */
export async function exportDeliveries(
  actor: Actor,
  filters: DeliveryFilterQuery,
): Promise<AsyncIterable<string>> {
  authorize(actor, "delivery.read");
  const match = matchFor(actor, filters);
  const read = (cursor?: string) =>
    inShortRead(appDatabase(), (orm) =>
      selectDeliveries(orm, { ...match, limit: deliveriesPerRead, ...(cursor ? { cursor } : {}) }),
    );
  const first = await read();
  return (async function* () {
    yield csvLine(csvColumns.map(({ name }) => name));
    let page = first;
    for (let written = 0; ; ) {
      yield page.data.map((delivery) => csvLine(csvColumns.map(({ of }) => of(delivery)))).join("");
      written += deliveriesPerRead;
      if (page.next_cursor === null || written >= maxExportedDeliveries) return;
      page = await read(page.next_cursor);
    }
  })();
}

const csvColumns: { name: string; of: (delivery: Delivery) => string | null }[] = [
  { name: "id", of: ({ id }) => id },
  { name: "created_at", of: ({ created_at }) => created_at },
  { name: "event_id", of: ({ event_id }) => event_id },
  { name: "event_type", of: ({ event_type }) => event_type },
  { name: "endpoint_id", of: ({ endpoint }) => endpoint.id },
  { name: "endpoint_name", of: ({ endpoint }) => endpoint.name },
  { name: "affiliate", of: ({ affiliate }) => affiliate.key },
  { name: "state", of: ({ state }) => state },
  { name: "held", of: ({ held }) => String(held) },
  { name: "blocked", of: ({ blocked }) => String(blocked) },
  { name: "reason", of: ({ reason }) => reason },
  { name: "attempts", of: ({ attempt_number }) => String(attempt_number) },
  { name: "last_status", of: ({ last_status }) => (last_status === null ? null : String(last_status)) },
  { name: "last_attempt_at", of: ({ last_attempt_at }) => last_attempt_at },
  { name: "delivered_at", of: ({ delivered_at }) => delivered_at },
  { name: "ended_at", of: ({ ended_at }) => ended_at },
];

/** How many deliveries these filters leave, counted to 1,000. */
export async function countMatching(actor: Actor, filters: DeliveryFilterQuery): Promise<CappedCount> {
  authorize(actor, "delivery.read");
  const count = await inShortRead(appDatabase(), (orm) =>
    countDeliveries(orm, matchFor(actor, filters), countedTo + 1),
  );
  return capCount(count, countedTo);
}

/** What stands before and after a delivery in the list with these filters. */
export async function findNeighbours(
  actor: Actor,
  id: string,
  filters: DeliveryFilterQuery,
): Promise<DeliveryNeighbours> {
  authorize(actor, "delivery.read");
  return inShortRead(appDatabase(), (orm) => selectNeighbours(orm, id, matchFor(actor, filters)));
}

function matchFor(actor: Actor, { q_hash: hash, ...filters }: DeliveryFilterQuery): DeliveryMatch {
  return { ...filters, scope: actor.affiliateId, sought: hash === undefined ? undefined : { hash } };
}

/** One page of the deliveries of events that have a searchable field with exactly this value, or of this id's. */
export async function searchDeliveries(
  actor: Actor,
  { value, ...filters }: DeliverySearch,
): Promise<DeliverySearchPage> {
  authorize(actor, "delivery.read");
  const hash = searchHash(value, secretKeys());
  const scope = actor.affiliateId;
  const sought = {
    hash,
    event: eventId.safeParse(value).data,
    delivery: deliveryId.safeParse(value).data,
  };
  return { hash, ...(await selectDeliveries(appDatabase().orm, { ...filters, sought, scope })) };
}

/**
 * One delivery with its attempts and the exact request that they make; 404 when there is none. At the console the
 * event's sensitive values are masked in all of it.
 */
export async function getDelivery(actor: Actor, id: string): Promise<DeliveryDetail> {
  authorize(actor, "delivery.read");
  const { detail, content } = await readDelivery(actor, id);
  const rules = await loadEventTypeRules(appDatabase().pool, [detail.event_type]);
  const fields = rules.get(detail.event_type)?.fields ?? null;
  const dataText = content.data?.toString("utf8") ?? null;
  const masker = maskerFor(actor, { fields, dataText });
  if (!masker) return detail;
  const data = dataText === null ? null : Buffer.from(masker.data(dataText));
  return maskDelivery(detail, { masker, request: requestOf(detail, { ...content, data }) });
}

/** The delivery with nothing masked; who asked and why is in the audit log before it is answered. */
export async function revealDelivery(
  actor: Actor,
  id: string,
  { reason }: ValueReveal,
): Promise<DeliveryDetail> {
  authorize(actor, "delivery.reveal");
  const { detail } = await readDelivery(actor, id);
  await recordAudit(appDatabase().orm, actor, {
    action: "delivery.reveal",
    objectKind: "delivery",
    objectId: id,
    affiliateId: detail.affiliate.id,
    after: { reason },
  });
  return detail;
}

async function readDelivery(
  actor: Actor,
  id: string,
): Promise<{ detail: DeliveryDetail; content: DeliveryContent }> {
  const { delivery: found, content, place, attempts } = await readAtOnce(id);
  const delivery = visibleTo(actor, found);
  if (!delivery || !content) throw notFound("delivery");
  const isSuperseded = place?.superseded ?? false;
  const isPostback = delivery.endpoint.kind === "postback";
  const refusal = resendRefusal(delivery, content, { isSuperseded, renderedAgain: false });
  const renderRefusal = isPostback && resendRefusal(delivery, content, { isSuperseded, renderedAgain: true });
  const detail = {
    ...delivery,
    occurred_at: content.occurredAt.toISOString(),
    request: requestOf(delivery, content),
    masked: false,
    attempts,
    blocked_by: place?.blockedBy ?? null,
    resend_refusal: refusal && refusals[refusal],
    render_refusal: renderRefusal ? refusals[renderRefusal] : null,
    resends: isAffiliate(actor) ? await resendAllowance(appDatabase().pool, delivery.affiliate.id) : null,
    superseded: refusal === "superseded" || renderRefusal === "superseded",
  };
  return { detail, content };
}

/**
 * All of one moment: what settles between two reads would show an attempt both as being made and as made, or as neither.
 */
function readAtOnce(id: string) {
  return inTransaction(appDatabase(), async ({ client, orm }) => {
    await client.query("set transaction isolation level repeatable read, read only");
    const delivery = await selectDelivery(orm, id);
    return {
      delivery,
      content: await selectDeliveryContent(client, id),
      place: await placeInOrder(client, id),
      attempts: delivery ? await selectAttempts(client, delivery) : [],
    };
  });
}

function requestOf(delivery: Delivery, content: DeliveryContent): DeliveryDetail["request"] {
  return delivery.endpoint.kind === "postback" ? frozenRequest(content) : webhookRequest(delivery, content);
}

function webhookRequest(
  delivery: Delivery,
  { occurredAt, data }: DeliveryContent,
): DeliveryDetail["request"] {
  if (data === null) return null;
  const body = webhookBody({ id: delivery.event_id, type: delivery.event_type, occurredAt, data });
  const { url } = delivery.endpoint;
  return { method: "POST", url, content_type: "application/json", body: body.toString("utf8") };
}

function frozenRequest({ frozen }: DeliveryContent): DeliveryDetail["request"] {
  if (frozen === null) return null;
  const { method, url, contentType, body } = frozen;
  return { method, url, content_type: contentType, body };
}

/**
 * Puts a delivery back with a fresh set of attempts, a postback with the same request or one rendered again. 409 while
 * it is sent or waits, has nothing to send, or, unless forced, when its ordering key has moved on.
 */
export async function resendDelivery(
  actor: Actor,
  id: string,
  { force, render_again }: DeliveryResend,
): Promise<Delivery> {
  authorize(actor, "delivery.resend");
  const { pool } = appDatabase();
  const delivery = await inTransaction(appDatabase(), async ({ client, orm }) => {
    const before = existing(visibleTo(actor, await selectDelivery(orm, id)), "delivery");
    if (isAffiliate(actor)) await refuseTooManyResends(client, before.affiliate.id);
    if (render_again) refuseUnrendered(await renderAgain(client, id));
    const result = await putBack(client, id, { force, renderedAgain: render_again });
    if (result === "not_found") throw notFound("delivery");
    if (result !== "resent") throw new Problem(result, refusals[result]);
    await recordAudit(orm, actor, {
      action: "delivery.resend",
      objectKind: "delivery",
      objectId: id,
      affiliateId: before.affiliate.id,
      before: { state: before.state, reason: before.reason, attempts_charged: before.attempts_charged },
      after: {
        state: "pending",
        reason: null,
        attempts_charged: 0,
        ...(force ? { force } : {}),
        ...(render_again ? { render_again } : {}),
      },
    });
    return (await selectDelivery(orm, id)) ?? before;
  });
  wakeWorkers(pool);
  return delivery;
}

/** All users of one affiliate together; 429 past the limit, which holds over all processes. */
async function refuseTooManyResends(client: Queryable, affiliateId: string): Promise<void> {
  await client.query("select pg_advisory_xact_lock(hashtextextended('posthorn.resend ' || $1, 0))", [
    affiliateId,
  ]);
  const { count, nextInSeconds } = await selectResendsOfAffiliate(client, affiliateId);
  if (count < maxResendsPerHour) return;
  throw new Problem(
    "too_many_requests",
    `At most ${maxResendsPerHour} deliveries an hour may be resent`,
    [],
    { retryAfterSeconds: Math.max(1, Math.ceil(nextInSeconds)) },
  );
}

async function resendAllowance(db: Queryable, affiliateId: string): Promise<ResendAllowance> {
  const { count, nextInSeconds } = await selectResendsOfAffiliate(db, affiliateId);
  return {
    limit: maxResendsPerHour,
    left: Math.max(0, maxResendsPerHour - count),
    next_at: count === 0 ? null : new Date(Date.now() + nextInSeconds * 1_000).toISOString(),
  };
}

function refuseUnrendered(result: RenderAgainResult): void {
  switch (result.outcome) {
    case "rendered":
      return;
    case "not_found":
      throw notFound("delivery");
    case "not_a_postback":
      throw invalidField("render_again", "is for postbacks only; a webhook is made anew with every attempt");
    case "body_purged":
      throw new Problem("body_purged", refusals.body_purged);
    case "cannot_render":
      throw new Problem(
        "cannot_render",
        `${reasonSentences[result.reason]}. ${reasonRemedies[result.reason]}`,
      );
  }
}

/** The refusal that a resend would meet now, in the order in which the queue judges it. */
function resendRefusal(
  delivery: Delivery,
  { data, frozen }: DeliveryContent,
  { isSuperseded, renderedAgain }: { isSuperseded: boolean; renderedAgain: boolean },
): ResendRefusal | null {
  if (delivery.state === "in_flight") return "in_flight";
  if (delivery.state === "pending") return "already_waiting";
  if (delivery.endpoint.status === "deleted") return "endpoint_deleted";
  if (delivery.state === "skipped" && !renderedAgain) return "skipped";
  if (delivery.endpoint.kind === "postback" && !renderedAgain) {
    if (frozen === null) return data === null ? "body_purged" : "cannot_render";
  } else if (data === null) return "body_purged";
  return isSuperseded ? "superseded" : null;
}
