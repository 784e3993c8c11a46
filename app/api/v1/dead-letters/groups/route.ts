import { route } from "#lib/api/route.ts";
import { deadLetterFilters } from "#lib/dead-letters/schema.ts";
import { groupDeadLetters } from "#lib/dead-letters/service.ts";

export const GET = route({
  auth: "api_key",
  may: "delivery.read",
  query: deadLetterFilters,
  handler: ({ actor, query }) => groupDeadLetters(actor, query),
});
