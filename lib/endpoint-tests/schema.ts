import { z } from "zod";
import { eventTypeName } from "#lib/event-types/schema.ts";
import { eventId } from "#lib/events/schema.ts";
import type { HttpMethod, Reason } from "#lib/vocabulary.ts";

/** Without `live` nothing is sent. Of an event of the endpoint's affiliate, else of a type's example data. */
export const endpointTestRequest = z
  .strictObject({
    live: z.boolean().default(false),
    event_id: eventId.optional(),
    /** The first one that the endpoint subscribes to if left out. */
    type: eventTypeName.optional(),
  })
  .refine(({ event_id, type }) => event_id === undefined || type === undefined, {
    path: ["type"],
    message: "must be left out with event_id, whose type counts",
  });
export type EndpointTestRequest = z.infer<typeof endpointTestRequest>;

export type EndpointTest = {
  /** Null where none can be made. Secrets are macros, and the values of the endpoint's own headers a mask. */
  request: {
    method: HttpMethod;
    url: string;
    headers: [name: string, value: string][];
    body: string | null;
  } | null;
  /** Why an event like this would never be sent: it has nothing to say, or cannot be rendered. */
  skipped?: Reason;
  failed?: Reason;
  /** Null unless one came in full. The body is text, with U+FFFD where its bytes are not UTF-8. */
  response: {
    status: number;
    headers: [name: string, value: string][];
    body: string;
    body_truncated: boolean;
  } | null;
  /** Why no response came. */
  error: { code: string; reason: Reason } | null;
  duration_ms: number | null;
  /** Whether a delivery with this answer would count as delivered; null when nothing was sent. */
  delivered: boolean | null;
};
