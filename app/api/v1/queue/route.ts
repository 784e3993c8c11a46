import { route } from "#lib/api/route.ts";
import { getQueueStatus } from "#lib/queue-status/service.ts";

export const GET = route({
  auth: "api_key",
  may: "deployment.read",
  handler: ({ actor }) => getQueueStatus(actor),
});
