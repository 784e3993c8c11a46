import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { resumeEndpoint } from "#lib/endpoints/service.ts";

export const POST = route({
  auth: "session",
  may: "endpoint.resume",
  params: z.object({ id: z.uuid() }),
  handler: ({ actor, params }) => resumeEndpoint(actor, params.id),
});
