import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { getApiKey, revokeApiKey } from "#lib/api-keys/service.ts";

const params = z.object({ id: z.uuid() });

export const GET = route({
  auth: "api_key",
  may: "api_key.read",
  params,
  handler: ({ actor, params }) => getApiKey(actor, params.id),
});

export const DELETE = route({
  auth: "api_key",
  may: "api_key.revoke",
  params,
  handler: ({ actor, params }) => revokeApiKey(actor, params.id),
});
