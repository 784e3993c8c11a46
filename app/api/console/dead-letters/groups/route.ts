import { route } from "#lib/api/route.ts";
import { deadLetterFilters } from "#lib/dead-letters/schema.ts";
import { groupDeadLetters } from "#lib/dead-letters/service.ts";

export const GET = route({
  auth: "session",
  may: "delivery.read",
  query: deadLetterFilters,
  handler: ({ actor, query }) => groupDeadLetters(actor, query),
});
