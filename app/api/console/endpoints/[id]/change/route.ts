import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { withdrawChange } from "#lib/endpoint-changes/service.ts";

export const DELETE = route({
  auth: "session",
  may: "endpoint.edit",
  params: z.object({ id: z.uuid() }),
  handler: ({ actor, params }) => withdrawChange(actor, params.id),
});
