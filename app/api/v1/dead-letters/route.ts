import { route } from "#lib/api/route.ts";
import { deadLetterListQuery } from "#lib/dead-letters/schema.ts";
import { listDeadLetters } from "#lib/dead-letters/service.ts";

export const GET = route({
  auth: "api_key",
  may: "delivery.read",
  query: deadLetterListQuery,
  handler: ({ actor, query }) => listDeadLetters(actor, query),
});
