import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { revokeSecret } from "#lib/endpoint-secrets/service.ts";

export const DELETE = route({
  auth: "api_key",
  may: "endpoint.revoke_secret",
  params: z.object({ id: z.uuid(), secretId: z.uuid() }),
  handler: ({ actor, params }) => revokeSecret(actor, params.id, params.secretId),
});
