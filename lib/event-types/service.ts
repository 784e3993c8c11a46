import type { Page } from "#lib/api/paging.ts";
import { changedFields, recordAudit } from "#lib/audit/record.ts";
import type { Actor } from "#lib/auth/actor.ts";
import { authorize } from "#lib/auth/permissions.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inTransaction, type Orm } from "#lib/db/database.ts";
import { exampleData } from "#lib/delivery/catalogue.ts";
import { contentFault, fieldsUsedBy } from "#lib/endpoints/check-content.ts";
import { selectContentOfSubscribers } from "#lib/endpoints/queries.ts";
import { existing, Problem } from "#lib/errors.ts";
import {
  type EventTypeSettings,
  insertEventType,
  isNamedByEndpoint,
  lockEventType,
  removeEventType,
  selectEventType,
  selectEventTypes,
  selectFieldsOfTypes,
  updateEventType,
} from "./queries.ts";
import type {
  EventType,
  EventTypeCreate,
  EventTypeDetail,
  EventTypeEdit,
  EventTypeListQuery,
} from "./schema.ts";

/** One page of the catalogue, by name. */
export async function listEventTypes(actor: Actor, query: EventTypeListQuery): Promise<Page<EventType>> {
  authorize(actor, "event_type.read");
  return selectEventTypes(appDatabase().orm, query);
}

/** With example data; 404 when it is not in the catalogue. */
export async function getEventType(actor: Actor, name: string): Promise<EventTypeDetail> {
  authorize(actor, "event_type.read");
  const type = existing(await selectEventType(appDatabase().orm, name), "event type");
  return { ...type, example_data: exampleData(type.fields) };
}

/** 409 when it is in the catalogue already. */
export async function createEventType(actor: Actor, input: EventTypeCreate): Promise<EventType> {
  authorize(actor, "event_type.create");
  return inTransaction(appDatabase(), async ({ orm }) => {
    const created = await insertEventType(orm, input);
    if (!created) {
      throw new Problem("already_exists", "There is an event type with this name already", [
        { field: "name", message: "is taken" },
      ]);
    }
    await recordAudit(orm, actor, {
      action: "event_type.create",
      objectKind: "event_type",
      objectId: input.name,
      after: input,
    });
    return created;
  });
}

/** Holds for whatever is published once this returns. 404 when it is not in the catalogue. */
export async function editEventType(actor: Actor, name: string, edit: EventTypeEdit): Promise<EventType> {
  authorize(actor, "event_type.edit");
  return inTransaction(appDatabase(), async ({ orm }) => {
    const before = existing(await lockEventType(orm, name), "event type");
    const settings = settingsOf(before);
    const wanted = { ...settings, ...edit } as EventTypeSettings;
    const changes = changedFields(settings, wanted);
    if (!changes) return before;
    if (changes.after.fields) await refuseIfEndpointsBreak(orm, { name, fields: wanted.fields });
    const edited = existing(await updateEventType(orm, name, wanted), "event type");
    await recordAudit(orm, actor, {
      action: "event_type.edit",
      objectKind: "event_type",
      objectId: name,
      ...changes,
    });
    return edited;
  });
}

/**
 * Whether templates and filters still hold with a type's new fields, or, for null, without the type; 409 names the
 * endpoints where they do not. A field that they use may not go even where they would still be valid without it: a
 * default or a filter would then speak for every event of the type.
 */
async function refuseIfEndpointsBreak(
  orm: Orm,
  { name, fields }: { name: string; fields: EventTypeSettings["fields"] | null },
): Promise<void> {
  const endpoints = await selectContentOfSubscribers(orm, name);
  if (endpoints.length === 0) return;
  const before = await selectFieldsOfTypes(orm, null);
  const others = before.filter((type) => type.name !== name);
  const after = fields === null ? others : [...others, { name, fields }];
  const kept = new Set(fields?.map((field) => field.name));
  const taken =
    before.find((type) => type.name === name)?.fields.filter((field) => !kept.has(field.name)) ?? [];
  const broken = endpoints.flatMap((endpoint) => {
    const { event_types: named } = endpoint;
    const subscribed = (types: typeof before) => types.filter((type) => named?.includes(type.name) ?? true);
    // What did not hold before is not this change's doing.
    const fault = contentFault(endpoint, subscribed(before))
      ? null
      : contentFault(endpoint, subscribed(after));
    const used =
      fields === null
        ? undefined
        : fieldsUsedBy(endpoint).find((used) => taken.some((field) => field.name === used));
    const why = fault ?? (used === undefined ? null : `it uses the field "${used}"`);
    if (why === null) return [];
    const message = `cannot change so: endpoint "${endpoint.name}" (${endpoint.id}): ${why}`;
    return [{ field: "fields", message }];
  });
  if (broken.length === 0) return;
  throw new Problem(
    "field_in_use",
    "Endpoints use a field that this would take away or change; change them first",
    broken.slice(0, 100),
  );
}

/** 404 when it is not in the catalogue, 409 while an endpoint names or needs it. Events of the type stay. */
export async function deleteEventType(actor: Actor, name: string): Promise<void> {
  authorize(actor, "event_type.delete");
  await inTransaction(appDatabase(), async ({ orm }) => {
    const before = existing(await lockEventType(orm, name), "event type");
    if (await isNamedByEndpoint(orm, name)) {
      throw new Problem(
        "in_use",
        "An endpoint subscribes to this event type by name; change the endpoint first",
      );
    }
    await refuseIfEndpointsBreak(orm, { name, fields: null });
    await removeEventType(orm, name);
    await recordAudit(orm, actor, {
      action: "event_type.delete",
      objectKind: "event_type",
      objectId: name,
      before: { name, ...settingsOf(before) },
    });
  });
}

function settingsOf({ description, fields, invalid_data, deprecated_at }: EventType): EventTypeSettings {
  return { description, fields, invalid_data, deprecated: deprecated_at !== null };
}
