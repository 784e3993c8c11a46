import { route } from "#lib/api/route.ts";
import { deliveryFilters } from "#lib/deliveries/schema.ts";
import { exportDeliveries } from "#lib/deliveries/service.ts";

export const GET = route({
  auth: "session",
  may: "delivery.read",
  csvName: "deliveries.csv",
  query: deliveryFilters,
  handler: ({ actor, query }) => exportDeliveries(actor, query),
});
