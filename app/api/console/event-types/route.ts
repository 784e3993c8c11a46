import { route } from "#lib/api/route.ts";
import { eventTypeListQuery } from "#lib/event-types/schema.ts";
import { listEventTypes } from "#lib/event-types/service.ts";

export const GET = route({
  auth: "console",
  query: eventTypeListQuery,
  handler: ({ actor, query }) => listEventTypes(actor, query),
});
