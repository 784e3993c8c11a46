import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { deliveryId } from "#lib/deliveries/schema.ts";
import { resendDelivery } from "#lib/deliveries/service.ts";

export const POST = route({
  auth: "console",
  params: z.object({ id: deliveryId }),
  handler: ({ actor, params }) => resendDelivery(actor, params.id),
});
