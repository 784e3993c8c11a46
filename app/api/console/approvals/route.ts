import { route } from "#lib/api/route.ts";
import { changeListQuery } from "#lib/endpoint-changes/schema.ts";
import { listChanges } from "#lib/endpoint-changes/service.ts";

export const GET = route({
  auth: "session",
  may: "endpoint.approve_change",
  query: changeListQuery,
  handler: ({ actor, query }) => listChanges(actor, query),
});
