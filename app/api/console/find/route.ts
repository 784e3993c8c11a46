import { route } from "#lib/api/route.ts";
import { findQuery } from "#lib/stats/schema.ts";
import { find } from "#lib/stats/service.ts";

export const GET = route({
  auth: "console",
  query: findQuery,
  handler: ({ actor, query }) => find(actor, query),
});
