import { route } from "#lib/api/route.ts";
import { eventTypeCreate, eventTypeListQuery } from "#lib/event-types/schema.ts";
import { createEventType, listEventTypes } from "#lib/event-types/service.ts";

export const GET = route({
  auth: "session",
  may: "event_type.read",
  query: eventTypeListQuery,
  handler: ({ actor, query }) => listEventTypes(actor, query),
});

export const POST = route({
  auth: "session",
  may: "event_type.create",
  body: eventTypeCreate,
  status: 201,
  handler: ({ actor, body }) => createEventType(actor, body),
});
