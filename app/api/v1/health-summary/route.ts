import { route } from "#lib/api/route.ts";
import { getOverview } from "#lib/stats/service.ts";

export const GET = route({
  auth: "api_key",
  may: "deployment.read",
  handler: ({ actor }) => getOverview(actor),
});
