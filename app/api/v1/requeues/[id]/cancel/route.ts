import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { cancelRequeue } from "#lib/requeues/service.ts";

export const POST = route({
  auth: "api_key",
  may: "delivery.requeue",
  params: z.object({ id: z.uuid() }),
  optionalBody: z.strictObject({}),
  handler: ({ actor, params }) => cancelRequeue(actor, params.id),
});
