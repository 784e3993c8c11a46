import { and, arrayContains, eq, inArray, isNull, or, sql } from "drizzle-orm";
import { z } from "zod";
import { endpoints, eventTypes } from "#drizzle/schema/index.ts";
import { keyset } from "#lib/api/keyset.ts";
import type { Page } from "#lib/api/paging.ts";
import { contains } from "#lib/api/search.ts";
import type { Orm } from "#lib/db/database.ts";
import type { TemplateEventType } from "#lib/delivery/template/types.ts";
import {
  type EventField,
  type EventType,
  type EventTypeCreate,
  type EventTypeListQuery,
  eventTypeName,
} from "./schema.ts";

/** What may be edited, in the API's own words. */
export type EventTypeSettings = Omit<EventTypeCreate, "name"> & { deprecated: boolean };

type Row = typeof eventTypes.$inferSelect;

/** One page, by name, along the primary key. */
export async function selectEventTypes(orm: Orm, query: EventTypeListQuery): Promise<Page<EventType>> {
  const list = keyset(query, {
    columns: [eventTypes.name],
    key: z.tuple([eventTypeName]),
    order: "ascending",
  });
  const search = query.q
    ? or(contains(eventTypes.name, query.q), contains(eventTypes.description, query.q))
    : undefined;
  const rows = await orm
    .select()
    .from(eventTypes)
    .where(and(search, list.where))
    .orderBy(list.orderBy)
    .limit(list.fetch);
  return list.page(rows, { key: (row) => [row.name], item: toEventType });
}

export async function selectEventType(orm: Orm, name: string): Promise<EventType | null> {
  const [row] = await orm.select().from(eventTypes).where(eq(eventTypes.name, name));
  return row ? toEventType(row) : null;
}

export async function lockEventType(orm: Orm, name: string): Promise<EventType | null> {
  const [row] = await orm.select().from(eventTypes).where(eq(eventTypes.name, name)).for("update");
  return row ? toEventType(row) : null;
}

/** Null when the name is taken. */
export async function insertEventType(orm: Orm, values: EventTypeCreate): Promise<EventType | null> {
  const { invalid_data: invalidData, ...rest } = values;
  const [row] = await orm
    .insert(eventTypes)
    .values({ ...rest, invalidData })
    .onConflictDoNothing()
    .returning();
  return row ? toEventType(row) : null;
}

/** `deprecated` set again keeps the time since when it is. */
export async function updateEventType(
  orm: Orm,
  name: string,
  { deprecated, ...settings }: EventTypeSettings,
): Promise<EventType | null> {
  const { invalid_data: invalidData, ...rest } = settings;
  const [row] = await orm
    .update(eventTypes)
    .set({
      ...rest,
      invalidData,
      deprecatedAt: deprecated ? sql`coalesce(${eventTypes.deprecatedAt}, now())` : null,
      updatedAt: sql`now()`,
    })
    .where(eq(eventTypes.name, name))
    .returning();
  return row ? toEventType(row) : null;
}

export async function removeEventType(orm: Orm, name: string): Promise<void> {
  await orm.delete(eventTypes).where(eq(eventTypes.name, name));
}

/** Those of the names that are in the catalogue, which stay there until the transaction ends. */
export async function keepEventTypes(orm: Orm, names: string[]): Promise<Set<string>> {
  const rows = await orm
    .select({ name: eventTypes.name })
    .from(eventTypes)
    .where(inArray(eventTypes.name, names))
    .orderBy(eventTypes.name)
    .for("share");
  return new Set(rows.map((row) => row.name));
}

/** The fields of these types, or, for null, of all in the catalogue. */
export async function selectFieldsOfTypes(
  orm: Orm,
  names: readonly string[] | null,
): Promise<TemplateEventType[]> {
  return (await fieldsOfTypes(orm, names)).map(toTemplateEventType);
}

/** The same, and they stay as they are until the transaction ends: what is checked against them is saved in it. */
export async function keepFieldsOfTypes(
  orm: Orm,
  names: readonly string[] | null,
): Promise<TemplateEventType[]> {
  return (await fieldsOfTypes(orm, names).for("share")).map(toTemplateEventType);
}

function fieldsOfTypes(orm: Orm, names: readonly string[] | null) {
  return orm
    .select({ name: eventTypes.name, fields: eventTypes.fields })
    .from(eventTypes)
    .where(names === null ? undefined : inArray(eventTypes.name, [...names]))
    .orderBy(eventTypes.name);
}

function toTemplateEventType({ name, fields }: Pick<Row, "name" | "fields">): TemplateEventType {
  return { name, fields: fields as EventField[] };
}

/** Whether a live endpoint names it. Walks the live endpoints, which are few beside how seldom this is asked. */
export async function isNamedByEndpoint(orm: Orm, name: string): Promise<boolean> {
  const rows = await orm
    .select({ id: endpoints.id })
    .from(endpoints)
    .where(and(isNull(endpoints.deletedAt), arrayContains(endpoints.eventTypes, [name])))
    .limit(1);
  return rows.length > 0;
}

function toEventType(row: Row): EventType {
  return {
    name: row.name,
    description: row.description,
    fields: row.fields as EventField[],
    invalid_data: row.invalidData,
    deprecated_at: row.deprecatedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
