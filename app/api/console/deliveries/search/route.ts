import { route } from "#lib/api/route.ts";
import { deliverySearch } from "#lib/deliveries/schema.ts";
import { searchDeliveries } from "#lib/deliveries/service.ts";

export const POST = route({
  auth: "session",
  may: "delivery.read",
  body: deliverySearch,
  handler: ({ actor, body }) => searchDeliveries(actor, body),
});
