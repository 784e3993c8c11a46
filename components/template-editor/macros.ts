import type { EventType } from "#lib/event-types/schema.ts";

/** What may stand between braces in a template of these event types. */
export type MacroOption = {
  name: string;
  description: string;
  /** Empty where there is nothing to show, as for a secret. */
  example: string;
};

const ownMacros: readonly MacroOption[] = [
  { name: "event_id", description: "The event's id, the same in every attempt", example: "evt_5c1f" },
  { name: "event_type", description: "The name of the event's type", example: "conversion.approved" },
  { name: "delivery_id", description: "The id of this event's delivery to this endpoint", example: "10482" },
  {
    name: "affiliate_id",
    description: "The id that Posthorn gave the affiliate",
    example: "0198c0de-7a00-7000-8000-000000000000",
  },
  { name: "timestamp", description: "The event's own time in seconds", example: "1769860800" },
  { name: "timestamp_ms", description: "The event's own time in milliseconds", example: "1769860800000" },
  {
    name: "timestamp_iso",
    description: "The event's own time as ISO 8601 in UTC",
    example: "2026-01-31T12:00:00.000Z",
  },
];

/** Fields in the catalogue's order, then what every event has, then the endpoint's secrets. */
export function macroOptions(
  eventTypes: readonly Pick<EventType, "name" | "fields">[],
  secretNames: readonly string[],
): MacroOption[] {
  const options = new Map<string, MacroOption>();
  for (const { name, description, example } of eventTypes.flatMap(({ fields }) => fields)) {
    if (options.has(name)) continue;
    const missing = eventTypes.filter(({ fields }) => !fields.some((field) => field.name === name)).length;
    const note = missing > 0 ? "not in every chosen event type, so it needs a default" : "";
    options.set(name, { name, description: [description, note].filter(Boolean).join("; "), example });
  }
  for (const own of ownMacros) options.set(own.name, own);
  for (const secret of secretNames) {
    const name = `secret.${secret}`;
    options.set(name, { name, description: "A secret of this endpoint, put in at send", example: "" });
  }
  return [...options.values()];
}

/** What a macro of the delivery itself looks like before there is a delivery. */
export function exampleOf(name: string): string {
  return ownMacros.find((macro) => macro.name === name)?.example ?? "";
}
