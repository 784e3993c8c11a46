import { route } from "#lib/api/route.ts";
import { deadLetterFilters } from "#lib/dead-letters/schema.ts";
import { exportDeadLetters } from "#lib/dead-letters/service.ts";

export const GET = route({
  auth: "session",
  may: "delivery.read",
  csvName: "dead-letters.csv",
  query: deadLetterFilters,
  handler: ({ actor, query }) => exportDeadLetters(actor, query),
});
