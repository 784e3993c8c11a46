import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { resetBreaker } from "#lib/breakers/service.ts";

export const POST = route({
  auth: "session",
  may: "endpoint.reset_breaker",
  params: z.object({ id: z.uuid() }),
  handler: ({ actor, params }) => resetBreaker(actor, params.id),
});
