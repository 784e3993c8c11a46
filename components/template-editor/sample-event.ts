import { readFields } from "#lib/delivery/catalogue.ts";
import type { RenderInput } from "#lib/delivery/template/render.ts";
import type { EventType } from "#lib/event-types/schema.ts";
import type { EventDetail } from "#lib/events/schema.ts";
import { exampleOf } from "./macros.ts";

type SampleType = Pick<EventType, "name" | "fields">;

/** Read as when it was published: digits and all. Null once its data are no longer kept. */
export function inputOfEvent(event: EventDetail, type: SampleType): RenderInput | null {
  if (event.data_text === null) return null;
  return {
    values: readFields(event.data_text, type.fields),
    event: { id: event.id, type: event.type, occurredAtMs: Date.parse(event.occurred_at) },
    deliveryId: exampleOf("delivery_id"),
    affiliateId: event.affiliate.id,
  };
}

/** The examples of the catalogue, for as long as there is no event. */
export function inputOfExamples(type: SampleType): RenderInput {
  return {
    values: new Map(type.fields.map(({ name, example }) => [name, example])),
    event: {
      id: exampleOf("event_id"),
      type: type.name,
      occurredAtMs: Number(exampleOf("timestamp_ms")),
    },
    deliveryId: exampleOf("delivery_id"),
    affiliateId: exampleOf("affiliate_id"),
  };
}
