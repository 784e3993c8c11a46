import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { pauseEndpoint } from "#lib/endpoints/service.ts";

export const POST = route({
  auth: "session",
  may: "endpoint.pause",
  params: z.object({ id: z.uuid() }),
  handler: ({ actor, params }) => pauseEndpoint(actor, params.id),
});
