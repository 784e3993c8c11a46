import { route } from "#lib/api/route.ts";
import { deliveryListQuery } from "#lib/deliveries/schema.ts";
import { listDeliveries } from "#lib/deliveries/service.ts";

export const GET = route({
  auth: "api_key",
  may: "delivery.read",
  query: deliveryListQuery,
  handler: ({ actor, query }) => listDeliveries(actor, query),
});
