import type { Path } from "react-hook-form";
import type { EventField, EventTypeCreate } from "#lib/event-types/schema.ts";

/** What the form for a new type and the one for an existing type have in common. */
export type EventTypeSettings = Omit<EventTypeCreate, "name">;

export const newField: EventField = {
  name: "",
  description: "",
  kind: "string",
  required: false,
  sensitive: false,
  searchable: false,
  example: "",
};

const fieldParts = Object.keys(newField) as (keyof EventField)[];

/** Where the server's errors have a place in the form, the most specific first. */
export function errorPlaces(fieldCount: number): Path<EventTypeSettings>[] {
  const parts = Array.from({ length: fieldCount }, (_, i) =>
    fieldParts.map((part) => `fields.${i}.${part}` as const),
  );
  return [...parts.flat(), "fields", "description", "invalid_data"];
}
