import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { resumeEndpoint } from "#lib/endpoints/service.ts";

export const POST = route({
  auth: "api_key",
  may: "endpoint.resume",
  params: z.object({ id: z.uuid() }),
  handler: ({ actor, params }) => resumeEndpoint(actor, params.id),
});
