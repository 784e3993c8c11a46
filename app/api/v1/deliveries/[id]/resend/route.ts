import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { deliveryId, deliveryResend } from "#lib/deliveries/schema.ts";
import { resendDelivery } from "#lib/deliveries/service.ts";

export const POST = route({
  auth: "api_key",
  may: "delivery.resend",
  params: z.object({ id: deliveryId }),
  optionalBody: deliveryResend,
  handler: ({ actor, params, body }) => resendDelivery(actor, params.id, body),
});
