import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { revokeApiKey } from "#lib/api-keys/service.ts";

export const DELETE = route({
  auth: "session",
  may: "api_key.revoke",
  params: z.object({ id: z.uuid() }),
  handler: ({ actor, params }) => revokeApiKey(actor, params.id),
});
