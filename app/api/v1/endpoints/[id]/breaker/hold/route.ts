import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { breakerHold } from "#lib/breakers/schema.ts";
import { holdBreaker } from "#lib/breakers/service.ts";

export const POST = route({
  auth: "api_key",
  may: "endpoint.hold_breaker",
  params: z.object({ id: z.uuid() }),
  body: breakerHold,
  handler: ({ actor, params, body }) => holdBreaker(actor, params.id, body),
});
