import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { secretReveal } from "#lib/endpoint-secrets/schema.ts";
import { revealSecret } from "#lib/endpoint-secrets/service.ts";

export const POST = route({
  auth: "session",
  may: "endpoint.reveal_secret",
  params: z.object({ id: z.uuid() }),
  body: secretReveal,
  handler: ({ actor, params, body }) => revealSecret(actor, params.id, body),
});
