import { z } from "zod";
import { alertId } from "#lib/alerts/schema.ts";
import { getAlert } from "#lib/alerts/service.ts";
import { route } from "#lib/api/route.ts";

export const GET = route({
  auth: "api_key",
  may: "alert.read",
  params: z.object({ id: alertId }),
  handler: ({ actor, params }) => getAlert(actor, params.id),
});
