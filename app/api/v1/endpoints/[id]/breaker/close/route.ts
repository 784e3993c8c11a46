import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { closeBreaker } from "#lib/breakers/service.ts";

export const POST = route({
  auth: "api_key",
  may: "endpoint.close_breaker",
  params: z.object({ id: z.uuid() }),
  handler: ({ actor, params }) => closeBreaker(actor, params.id),
});
