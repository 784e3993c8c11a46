import { setupRequest } from "#lib/accounts/schema.ts";
import { setUpFirstAdmin } from "#lib/accounts/service.ts";
import { route } from "#lib/api/route.ts";

export const POST = route({
  auth: "visitor",
  body: setupRequest,
  handler: async ({ from, body, setCookies }) => setCookies((await setUpFirstAdmin(from, body)).cookies),
});
