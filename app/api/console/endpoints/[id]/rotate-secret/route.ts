import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { secretRotation } from "#lib/endpoint-secrets/schema.ts";
import { rotateSecret } from "#lib/endpoint-secrets/service.ts";

export const POST = route({
  auth: "session",
  may: "endpoint.rotate_secret",
  params: z.object({ id: z.uuid() }),
  body: secretRotation,
  handler: ({ actor, params, body }) => rotateSecret(actor, params.id, body),
});
