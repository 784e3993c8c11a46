import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { getRequeue } from "#lib/requeues/service.ts";

export const GET = route({
  auth: "api_key",
  needs: "read_all",
  params: z.object({ id: z.uuid() }),
  handler: ({ actor, params }) => getRequeue(actor, params.id),
});
