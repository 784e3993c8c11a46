import { route } from "#lib/api/route.ts";
import { getQueueStatus } from "#lib/queue-status/service.ts";

export const GET = route({
  auth: "session",
  may: "deployment.read",
  handler: ({ actor }) => getQueueStatus(actor),
});
