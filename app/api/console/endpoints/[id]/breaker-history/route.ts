import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { breakerHistoryQuery } from "#lib/breakers/schema.ts";
import { listBreakerMoves } from "#lib/breakers/service.ts";

export const GET = route({
  auth: "session",
  may: "endpoint.read",
  params: z.object({ id: z.uuid() }),
  query: breakerHistoryQuery,
  handler: ({ actor, params, query }) => listBreakerMoves(actor, params.id, query),
});
