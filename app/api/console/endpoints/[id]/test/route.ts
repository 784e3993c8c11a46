import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { endpointTestRequest } from "#lib/endpoint-tests/schema.ts";
import { testEndpoint } from "#lib/endpoint-tests/service.ts";

export const POST = route({
  auth: "session",
  may: "endpoint.test",
  params: z.object({ id: z.uuid() }),
  optionalBody: endpointTestRequest,
  handler: ({ actor, params, body }) => testEndpoint(actor, params.id, body),
});
