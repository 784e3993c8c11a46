import { secondFactor } from "#lib/accounts/schema.ts";
import { enableTwoFactor } from "#lib/accounts/two-factor.ts";
import { route } from "#lib/api/route.ts";

export const POST = route({
  auth: "session",
  may: null,
  body: secondFactor,
  handler: async ({ actor, cookie, body, setCookies }) =>
    setCookies((await enableTwoFactor(actor, { cookie, ...body })).cookies),
});
