import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { deliveryId } from "#lib/deliveries/schema.ts";
import { getDelivery } from "#lib/deliveries/service.ts";

export const GET = route({
  auth: "session",
  may: "delivery.read",
  params: z.object({ id: deliveryId }),
  handler: ({ actor, params }) => getDelivery(actor, params.id),
});
