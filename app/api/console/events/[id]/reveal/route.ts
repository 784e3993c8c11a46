import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { eventId } from "#lib/events/schema.ts";
import { revealEvent } from "#lib/events/service.ts";
import { valueReveal } from "#lib/redaction/schema.ts";

export const POST = route({
  auth: "session",
  may: "event.reveal",
  params: z.object({ id: eventId }),
  body: valueReveal,
  handler: ({ actor, params, body }) => revealEvent(actor, params.id, body),
});
