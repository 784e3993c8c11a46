import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { revealOnScreen } from "#lib/endpoint-secrets/reveal-on-screen.ts";
import { secretRevealOnScreen } from "#lib/endpoint-secrets/schema.ts";

export const POST = route({
  auth: "session",
  may: "endpoint.reveal_secret",
  params: z.object({ id: z.uuid() }),
  body: secretRevealOnScreen,
  handler: ({ actor, params, body }) => revealOnScreen(actor, params.id, body),
});
