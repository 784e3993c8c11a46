import type { Page, PageQuery } from "#lib/api/paging.ts";
import { changedFields, recordAudit } from "#lib/audit/record.ts";
import type { Actor } from "#lib/auth/actor.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inTransaction } from "#lib/db/database.ts";
import { notFound, Problem } from "#lib/errors.ts";
import {
  insertEventType,
  isNamedByEndpoint,
  lockEventType,
  removeEventType,
  selectEventType,
  selectEventTypes,
  updateEventType,
} from "./queries.ts";
import type { EventType, EventTypeCreate, EventTypeEdit } from "./schema.ts";

/** One page of the catalogue, by name. */
export async function listEventTypes(_actor: Actor, query: PageQuery): Promise<Page<EventType>> {
  return selectEventTypes(appDatabase().orm, query);
}

/** 404 when it is not in the catalogue. */
export async function getEventType(_actor: Actor, name: string): Promise<EventType> {
  return existing(await selectEventType(appDatabase().orm, name));
}

/** 409 when it is in the catalogue already. */
export async function createEventType(actor: Actor, input: EventTypeCreate): Promise<EventType> {
  return inTransaction(appDatabase(), async ({ orm }) => {
    const created = await insertEventType(orm, { name: input.name, description: input.description });
    if (!created) {
      throw new Problem("already_exists", "There is an event type with this name already", [
        { field: "name", message: "is taken" },
      ]);
    }
    await recordAudit(orm, actor, {
      action: "event_type.create",
      objectKind: "event_type",
      objectId: input.name,
      after: { name: input.name, description: input.description },
    });
    return created;
  });
}

/** 404 when it is not in the catalogue. */
export async function editEventType(actor: Actor, name: string, edit: EventTypeEdit): Promise<EventType> {
  return inTransaction(appDatabase(), async ({ orm }) => {
    const before = existing(await lockEventType(orm, name));
    const changes = changedFields({ description: before.description }, { description: edit.description });
    if (!changes) return before;
    const edited = existing(await updateEventType(orm, name, edit.description));
    await recordAudit(orm, actor, {
      action: "event_type.edit",
      objectKind: "event_type",
      objectId: name,
      ...changes,
    });
    return edited;
  });
}

/** 404 when it is not in the catalogue, 409 while an endpoint names it. Events of the type stay. */
export async function deleteEventType(actor: Actor, name: string): Promise<void> {
  await inTransaction(appDatabase(), async ({ orm }) => {
    const before = existing(await lockEventType(orm, name));
    if (await isNamedByEndpoint(orm, name)) {
      throw new Problem(
        "in_use",
        "An endpoint subscribes to this event type by name; change the endpoint first",
      );
    }
    await removeEventType(orm, name);
    await recordAudit(orm, actor, {
      action: "event_type.delete",
      objectKind: "event_type",
      objectId: name,
      before: { name, description: before.description },
    });
  });
}

function existing<T>(eventType: T | null): T {
  if (!eventType) throw notFound("event type");
  return eventType;
}
