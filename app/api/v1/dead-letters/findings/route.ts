import { route } from "#lib/api/route.ts";
import { deadLetterFindingsQuery } from "#lib/dead-letters/schema.ts";
import { listFindings } from "#lib/dead-letters/service.ts";

export const GET = route({
  auth: "api_key",
  may: "delivery.read",
  query: deadLetterFindingsQuery,
  handler: ({ actor, query }) => listFindings(actor, query),
});
