import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { makePasswordLink } from "#lib/password-links/service.ts";

export const POST = route({
  auth: "session",
  may: "user.manage",
  params: z.object({ id: z.uuid() }),
  status: 201,
  handler: ({ actor, params }) => makePasswordLink(actor, params.id),
});
