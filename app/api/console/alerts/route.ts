import { alertListQuery } from "#lib/alerts/schema.ts";
import { listAlerts } from "#lib/alerts/service.ts";
import { route } from "#lib/api/route.ts";

export const GET = route({
  auth: "session",
  may: "alert.read",
  query: alertListQuery,
  handler: ({ actor, query }) => listAlerts(actor, query),
});
