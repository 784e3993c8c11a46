import { route } from "#lib/api/route.ts";
import { deliveryFilters } from "#lib/deliveries/schema.ts";
import { countMatching } from "#lib/deliveries/service.ts";

export const GET = route({
  auth: "session",
  may: "delivery.read",
  query: deliveryFilters,
  handler: ({ actor, query }) => countMatching(actor, query),
});
