import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { changeRefusal } from "#lib/endpoint-changes/schema.ts";
import { refuseChange } from "#lib/endpoint-changes/service.ts";

export const POST = route({
  auth: "session",
  may: "endpoint.approve_change",
  params: z.object({ id: z.uuid() }),
  body: changeRefusal,
  handler: ({ actor, params, body }) => refuseChange(actor, params.id, body),
});
