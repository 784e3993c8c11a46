import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { getRequeue } from "#lib/requeues/service.ts";

export const GET = route({
  auth: "api_key",
  may: "requeue.read",
  params: z.object({ id: z.uuid() }),
  handler: ({ actor, params }) => getRequeue(actor, params.id),
});
