import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { deliveryId } from "#lib/deliveries/schema.ts";
import { revealDelivery } from "#lib/deliveries/service.ts";
import { valueReveal } from "#lib/redaction/schema.ts";

export const POST = route({
  auth: "session",
  may: "delivery.reveal",
  params: z.object({ id: deliveryId }),
  body: valueReveal,
  handler: ({ actor, params, body }) => revealDelivery(actor, params.id, body),
});
