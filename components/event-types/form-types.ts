import type { FieldPattern } from "#lib/api/forms.ts";
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

/** Where the server's errors have a place in the form, the most specific first. */
export const errorPlaces = [
  "fields.*.name",
  "fields.*.description",
  "fields.*.kind",
  "fields.*.required",
  "fields.*.sensitive",
  "fields.*.searchable",
  "fields.*.example",
  "fields",
  "description",
  "invalid_data",
] as const satisfies readonly FieldPattern<EventTypeSettings>[];
