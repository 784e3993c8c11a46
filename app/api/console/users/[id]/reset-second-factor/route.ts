import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { resetSecondFactor } from "#lib/users/service.ts";

export const POST = route({
  auth: "session",
  may: "user.manage",
  params: z.object({ id: z.uuid() }),
  handler: ({ actor, params }) => resetSecondFactor(actor, params.id),
});
