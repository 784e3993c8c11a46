import type { Page } from "#lib/api/paging.ts";
import type { Actor } from "#lib/auth/actor.ts";
import { appDatabase } from "#lib/db/app.ts";
import { route } from "#lib/delivery/route.ts";
import { invalidField, notFound, Problem, type ProblemBody, problemBody } from "#lib/errors.ts";
import { wakeWorkers } from "#lib/queue/wake.ts";
import { type Accepted, acceptEvents } from "./accept.ts";
import type { PublishRequest } from "./parse-publish.ts";
import { type Candidate, selectCandidates, selectEvent, selectEvents } from "./queries.ts";
import type { Event, EventAccepted, EventDetail, EventListQuery, EventRecipient } from "./schema.ts";

export type PublishAnswer = EventAccepted | { results: (EventAccepted | { error: ProblemBody })[] };

/**
 * Accepts events: durable when this returns. A single one that is refused throws its problem; of an array, each
 * item has its own result, in order.
 */
export async function publish(_actor: Actor, request: PublishRequest): Promise<PublishAnswer> {
  const { pool } = appDatabase();
  const accepted = await acceptEvents(pool, request.items);
  const results = accepted.map(toAnswer);
  if (results.some((result) => !(result instanceof Problem) && !result.duplicate)) wakeWorkers(pool);
  if (request.isArray) {
    return {
      results: results.map((result) => (result instanceof Problem ? { error: problemBody(result) } : result)),
    };
  }
  const [only] = results as [Answer];
  if (only instanceof Problem) throw only;
  return only;
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
export async function listEvents(_actor: Actor, query: EventListQuery): Promise<Page<Event>> {
  return selectEvents(appDatabase().orm, query);
}

/** One event with its data, and for every endpoint why it did or did not get it; 404 when there is none. */
export async function getEvent(_actor: Actor, id: string): Promise<EventDetail> {
  const { orm, pool } = appDatabase();
  const found = await selectEvent(orm, id);
  if (!found) throw notFound("event");
  const candidates = await selectCandidates(pool, found.event);
  return {
    ...found.event,
    data_text: found.data?.toString("utf8") ?? null,
    recipients: candidates.map((candidate) => toRecipient(found.event, candidate)),
  };
}

function toRecipient(event: Event, candidate: Candidate): EventRecipient {
  const { delivery_id, state, reason } = candidate;
  return {
    endpoint: { id: candidate.endpoint_id, name: candidate.name, url: candidate.url },
    decision: decide(event, candidate),
    delivery: delivery_id !== null && state !== null ? { id: delivery_id, state, reason } : null,
  };
}

/** An endpoint made while the event waits for its fan-out gets it, one made later does not. */
function decide(event: Event, candidate: Candidate): EventRecipient["decision"] {
  if (candidate.delivery_id !== null) return "delivery";
  if (route({ type: event.type }, { eventTypes: candidate.event_types }) === "not_subscribed")
    return "not_subscribed";
  if (candidate.awaits) return "awaiting_fan_out";
  return candidate.created_at.toISOString() > event.received_at ? "created_later" : "not_subscribed";
}
