import { route } from "#lib/api/route.ts";
import { historyQuery } from "#lib/stats/schema.ts";
import { getHistory } from "#lib/stats/service.ts";

export const GET = route({
  auth: "session",
  may: "stats.read",
  query: historyQuery,
  handler: ({ actor, query }) => getHistory(actor, query),
});
