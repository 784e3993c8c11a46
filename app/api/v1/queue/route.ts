import { route } from "#lib/api/route.ts";
import { getQueueStatus } from "#lib/queue-status/service.ts";

export const GET = route({
  auth: "api_key",
  needs: "read_all",
  handler: ({ actor }) => getQueueStatus(actor),
});
