import { readFields } from "#lib/delivery/catalogue.ts";
import type { RenderInput, TracePiece } from "#lib/delivery/template/render.ts";
import type { EventType } from "#lib/event-types/schema.ts";
import type { EventDetail } from "#lib/events/schema.ts";
import { fullMask } from "#lib/redaction/mask.ts";
import { exampleOf } from "./macros.ts";

type SampleType = Pick<EventType, "name" | "fields">;

/** What a template is tried with. `masked`: the fields whose values may not be seen, so that theirs stand for nothing. */
export type Sample = { input: RenderInput; masked: ReadonlySet<string> };

/** Read as when it was published: digits and all. Null once its data are no longer kept, or where all of them are masked. */
export function sampleOfEvent(event: EventDetail, type: SampleType): Sample | null {
  if (event.data_text === null || event.data_text === fullMask) return null;
  const values = readFields(event.data_text, type.fields);
  const masked = event.masked ? [...values].filter(([, value]) => value.includes(fullMask)) : [];
  return {
    input: {
      values,
      event: { id: event.id, type: event.type, occurredAtMs: Date.parse(event.occurred_at) },
      deliveryId: exampleOf("delivery_id"),
      affiliateId: event.affiliate.id,
    },
    masked: new Set(masked.map(([name]) => name)),
  };
}

/** The examples of the catalogue, for as long as there is no event. */
export function sampleOfExamples(type: SampleType): Sample {
  const input: RenderInput = {
    values: new Map(type.fields.map(({ name, example }) => [name, example])),
    event: {
      id: exampleOf("event_id"),
      type: type.name,
      occurredAtMs: Number(exampleOf("timestamp_ms")),
    },
    deliveryId: exampleOf("delivery_id"),
    affiliateId: exampleOf("affiliate_id"),
  };
  return { input, masked: new Set() };
}

/** Traced text with the mask where a masked value, or what functions made of it, would stand. */
export function maskPieces(pieces: readonly TracePiece[], masked: ReadonlySet<string>): TracePiece[] {
  return pieces.map((piece) =>
    piece.from && masked.has(piece.from.name)
      ? { text: fullMask, from: { ...piece.from, value: fullMask } }
      : piece,
  );
}
