import { route } from "#lib/api/route.ts";
import { eventListQuery } from "#lib/events/schema.ts";
import { listEvents } from "#lib/events/service.ts";

export const GET = route({
  auth: "session",
  may: "event.read",
  query: eventListQuery,
  handler: ({ actor, query }) => listEvents(actor, query),
});
