import { route } from "#lib/api/route.ts";
import { apiKeyCreate, apiKeyListQuery } from "#lib/api-keys/schema.ts";
import { createApiKey, listApiKeys } from "#lib/api-keys/service.ts";

export const GET = route({
  auth: "api_key",
  may: "api_key.read",
  query: apiKeyListQuery,
  handler: ({ actor, query }) => listApiKeys(actor, query),
});

export const POST = route({
  auth: "api_key",
  may: "api_key.create",
  body: apiKeyCreate,
  status: 201,
  handler: ({ actor, body }) => createApiKey(actor, body),
});
