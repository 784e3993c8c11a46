import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { approveChange } from "#lib/endpoint-changes/service.ts";

export const POST = route({
  auth: "session",
  may: "endpoint.approve_change",
  params: z.object({ id: z.uuid() }),
  optionalBody: z.strictObject({}),
  handler: ({ actor, params }) => approveChange(actor, params.id),
});
