import type { Page } from "#lib/api/paging.ts";
import { recordAudit } from "#lib/audit/record.ts";
import { type Actor, visibleTo } from "#lib/auth/actor.ts";
import { authorize, isStaff } from "#lib/auth/permissions.ts";
import { config } from "#lib/config.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inShortRead } from "#lib/db/database.ts";
import { type CatalogueField, readFields } from "#lib/delivery/catalogue.ts";
import { type EventFields, route } from "#lib/delivery/route.ts";
import { existing, invalidField, Problem, type ProblemBody, problemBody } from "#lib/errors.ts";
import { loadEventTypeRules } from "#lib/queue/event-type-rules.ts";
import { wakeWorkers } from "#lib/queue/wake.ts";
import { maskEvent, maskerFor, maskListedEvent } from "#lib/redaction/masked.ts";
import type { ValueReveal } from "#lib/redaction/schema.ts";
import { type Accepted, acceptEvents } from "./accept.ts";
import type { PublishRequest } from "./parse-publish.ts";
import { createPublishLimit } from "./publish-limit.ts";
import { type Candidate, selectCandidates, selectEvent, selectEvents } from "./queries.ts";
import type { Event, EventAccepted, EventDetail, EventListQuery, EventRecipient } from "./schema.ts";

export type PublishAnswer = EventAccepted | { results: (EventAccepted | { error: ProblemBody })[] };

/**
 * Accepts events: durable when this returns. A single one that is refused throws its problem; of an array, each
 * item has its own result, in order. Throws a 429 when the actor's key is over the deployment's limit.
 */
export async function publish(actor: Actor, request: PublishRequest): Promise<PublishAnswer> {
  authorize(actor, "event.publish");
  admit(actor, request.items.length);
  const { pool } = appDatabase();
  const accepted = await acceptEvents(pool, request.items);
  const results = accepted.map(toAnswer);
  if (results.some((result) => !(result instanceof Problem) && !result.duplicate))
    wakeWorkers(pool, "events");
  if (request.isArray) {
    return {
      results: results.map((result) => (result instanceof Problem ? { error: problemBody(result) } : result)),
    };
  }
  const [only] = results as [Answer];
  if (only instanceof Problem) throw only;
  return only;
}

let limit: ReturnType<typeof createPublishLimit> | undefined;

/** In this process alone: asking the database would cost every single publish a statement. */
function admit(actor: Actor, events: number): void {
  limit ??= createPublishLimit(config().publishPerSecond);
  limit({ keyId: actor.id, events, nowMs: Math.floor(performance.now()) });
}

type Answer = EventAccepted | Problem;

function toAnswer(accepted: Accepted): Answer {
  if (accepted instanceof Problem) return accepted;
  const { result, warnings } = accepted;
  const { id, outcome } = result;
  switch (outcome) {
    case "accepted":
    case "duplicate":
      return { id, duplicate: outcome === "duplicate", ...(warnings.length > 0 ? { warnings } : {}) };
    case "conflict":
      return new Problem("id_reused", "An event with this id was published before, with other content", [
        { field: "id", message: "stands for another event" },
      ]);
    case "unknown_type":
      return invalidField("type", "is not in the catalogue of event types");
    case "unknown_affiliate":
      return invalidField("affiliate", "does not exist");
    case "type_changed":
      throw new Error("a change of the catalogue was not looked into");
  }
}

/** One page of events, latest received first. */
export async function listEvents(actor: Actor, query: EventListQuery): Promise<Page<Event>> {
  authorize(actor, "event.read");
  const page = await inShortRead(appDatabase(), (orm) =>
    selectEvents(orm, { ...query, scope: actor.affiliateId }),
  );
  return isStaff(actor) ? { ...page, data: page.data.map(maskListedEvent) } : page;
}

/**
 * One event with its data, and for every endpoint why it did or did not get it; 404 when there is none. At the console
 * its sensitive values are masked.
 */
export async function getEvent(actor: Actor, id: string): Promise<EventDetail> {
  authorize(actor, "event.read");
  const { detail, fields } = await readEvent(actor, id);
  const masker = maskerFor(actor, { fields, dataText: detail.data_text });
  return masker ? maskEvent(detail, masker) : detail;
}

/** The event with nothing masked; who asked and why is in the audit log before it is answered. */
export async function revealEvent(actor: Actor, id: string, { reason }: ValueReveal): Promise<EventDetail> {
  authorize(actor, "event.reveal");
  const { detail } = await readEvent(actor, id);
  await recordAudit(appDatabase().orm, actor, {
    action: "event.reveal",
    objectKind: "event",
    objectId: id,
    affiliateId: detail.affiliate.id,
    after: { reason },
  });
  return detail;
}

/** `fields` null: its type is not in the catalogue any more. */
async function readEvent(
  actor: Actor,
  id: string,
): Promise<{ detail: EventDetail; fields: CatalogueField[] | null }> {
  const { orm, pool } = appDatabase();
  const { event, data } = existing(await selectEvent(orm, id), "event");
  existing(visibleTo(actor, event), "event");
  const [candidates, rules] = await Promise.all([
    selectCandidates(pool, event),
    loadEventTypeRules(pool, [event.type]),
  ]);
  const fields = rules.get(event.type)?.fields ?? null;
  const text = data?.toString("utf8") ?? null;
  const kinds = new Map(fields?.map(({ name, kind }) => [name, kind]));
  const values = text === null ? null : readFields(text, fields ?? []);
  const detail = {
    ...event,
    data_text: text,
    masked: false,
    recipients: candidates.map((candidate) => toRecipient(event, candidate, values && { values, kinds })),
  };
  return { detail, fields };
}

/** `fields` null: the event's data have been purged. */
function toRecipient(event: Event, candidate: Candidate, fields: EventFields | null): EventRecipient {
  const { delivery_id, state, reason } = candidate;
  const isWaiting = state === "pending" || state === "failed";
  const held = isWaiting && !candidate.deleted && candidate.status !== "active";
  const blocked = isWaiting && candidate.blocked === true;
  return {
    endpoint: { id: candidate.endpoint_id, name: candidate.name, url: candidate.url },
    ...whyOrWhyNot(event, candidate, fields),
    delivery:
      delivery_id !== null && state !== null ? { id: delivery_id, state, reason, held, blocked } : null,
  };
}

/**
 * An endpoint made while the event waits for its fan-out gets it, one made later does not. What the endpoint would take
 * today, and did not get, it did not want then: its subscriptions or filters were others.
 */
function whyOrWhyNot(
  event: Event,
  candidate: Candidate,
  fields: EventFields | null,
): Pick<EventRecipient, "decision" | "filter"> {
  if (candidate.delivery_id !== null) return { decision: "delivery", filter: null };
  const filters = fields ? candidate.filters : [];
  const decided = route(
    { type: event.type, fields: () => fields ?? noFields },
    { eventTypes: candidate.event_types, filters },
  );
  if (decided.decision === "not_subscribed") return { decision: "not_subscribed", filter: null };
  if (decided.decision === "filtered_out") return { decision: "filtered_out", filter: decided.filter };
  if (candidate.awaits) return { decision: "awaiting_fan_out", filter: null };
  if (candidate.created_at.toISOString() > event.received_at)
    return { decision: "created_later", filter: null };
  return {
    decision: fields || candidate.filters.length === 0 ? "changed_since" : "filtered_out",
    filter: null,
  };
}

const noFields: EventFields = { values: new Map(), kinds: new Map() };
