import { route } from "#lib/api/route.ts";
import { parsePublish } from "#lib/events/parse-publish.ts";
import { eventListQuery, maxRequestBytes } from "#lib/events/schema.ts";
import { listEvents, publish } from "#lib/events/service.ts";

export const GET = route({
  auth: "api_key",
  may: "event.read",
  query: eventListQuery,
  handler: ({ actor, query }) => listEvents(actor, query),
});

export const POST = route({
  auth: "api_key",
  may: "event.publish",
  body: parsePublish,
  maxBodyBytes: maxRequestBytes,
  status: 202,
  handler: ({ actor, body }) => publish(actor, body),
});
