import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { listSecrets } from "#lib/endpoint-secrets/service.ts";

export const GET = route({
  auth: "api_key",
  may: "endpoint.read_secrets",
  params: z.object({ id: z.uuid() }),
  handler: ({ actor, params }) => listSecrets(actor, params.id),
});
