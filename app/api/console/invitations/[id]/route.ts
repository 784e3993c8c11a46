import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { revokeInvitation } from "#lib/invitations/service.ts";

export const DELETE = route({
  auth: "session",
  may: "user.manage",
  params: z.object({ id: z.uuid() }),
  handler: ({ actor, params }) => revokeInvitation(actor, params.id),
});
