import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { eventTypeEdit, eventTypeName } from "#lib/event-types/schema.ts";
import { deleteEventType, editEventType, getEventType } from "#lib/event-types/service.ts";

const params = z.object({ name: eventTypeName });

export const GET = route({
  auth: "api_key",
  may: "event_type.read",
  params,
  handler: ({ actor, params }) => getEventType(actor, params.name),
});

export const PATCH = route({
  auth: "api_key",
  may: "event_type.edit",
  params,
  body: eventTypeEdit,
  handler: ({ actor, params, body }) => editEventType(actor, params.name, body),
});

export const DELETE = route({
  auth: "api_key",
  may: "event_type.delete",
  params,
  handler: ({ actor, params }) => deleteEventType(actor, params.name),
});
