import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { endpointEdit, maxEndpointBytes } from "#lib/endpoints/schema.ts";
import { deleteEndpoint, editEndpoint, getEndpoint } from "#lib/endpoints/service.ts";

const params = z.object({ id: z.uuid() });

export const GET = route({
  auth: "api_key",
  may: "endpoint.read",
  params,
  handler: ({ actor, params }) => getEndpoint(actor, params.id),
});

export const PATCH = route({
  auth: "api_key",
  may: "endpoint.edit",
  params,
  body: endpointEdit,
  maxBodyBytes: maxEndpointBytes,
  handler: ({ actor, params, body }) => editEndpoint(actor, params.id, body),
});

export const DELETE = route({
  auth: "api_key",
  may: "endpoint.delete",
  params,
  handler: ({ actor, params }) => deleteEndpoint(actor, params.id),
});
