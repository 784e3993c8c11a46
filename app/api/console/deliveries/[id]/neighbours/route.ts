import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { deliveryFilters, deliveryId } from "#lib/deliveries/schema.ts";
import { findNeighbours } from "#lib/deliveries/service.ts";

export const GET = route({
  auth: "session",
  may: "delivery.read",
  params: z.object({ id: deliveryId }),
  query: deliveryFilters,
  handler: ({ actor, params, query }) => findNeighbours(actor, params.id, query),
});
