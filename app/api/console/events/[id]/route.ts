import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { eventId } from "#lib/events/schema.ts";
import { getEvent } from "#lib/events/service.ts";

export const GET = route({
  auth: "session",
  may: "event.read",
  params: z.object({ id: eventId }),
  handler: ({ actor, params }) => getEvent(actor, params.id),
});
