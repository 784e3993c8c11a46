import { route } from "#lib/api/route.ts";
import { endpointCreate, endpointListQuery, maxEndpointBytes } from "#lib/endpoints/schema.ts";
import { createEndpoint, listEndpoints } from "#lib/endpoints/service.ts";

export const GET = route({
  auth: "api_key",
  may: "endpoint.read",
  query: endpointListQuery,
  handler: ({ actor, query }) => listEndpoints(actor, query),
});

export const POST = route({
  auth: "api_key",
  may: "endpoint.create",
  body: endpointCreate,
  maxBodyBytes: maxEndpointBytes,
  status: 201,
  handler: ({ actor, body }) => createEndpoint(actor, body),
});
