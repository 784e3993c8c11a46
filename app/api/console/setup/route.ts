import { setupRequest } from "#lib/accounts/schema.ts";
import { setUpFirstAdmin } from "#lib/accounts/service.ts";
import { route } from "#lib/api/route.ts";

export const POST = route({
  auth: "visitor",
  body: setupRequest,
  handler: async ({ from, cookie, body, setCookies }) =>
    setCookies((await setUpFirstAdmin({ cookie, from }, body)).cookies),
});
