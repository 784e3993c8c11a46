import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { endpointRenderWaiting } from "#lib/endpoints/schema.ts";
import { renderWaiting } from "#lib/endpoints/service.ts";

export const POST = route({
  auth: "session",
  may: "endpoint.render_waiting",
  params: z.object({ id: z.uuid() }),
  optionalBody: endpointRenderWaiting,
  handler: ({ actor, params, body }) => renderWaiting(actor, params.id, body),
});
