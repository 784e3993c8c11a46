import { passwordProof } from "#lib/accounts/schema.ts";
import { disableTwoFactor } from "#lib/accounts/two-factor.ts";
import { route } from "#lib/api/route.ts";

export const POST = route({
  auth: "session",
  may: null,
  body: passwordProof,
  handler: async ({ actor, cookie, body, setCookies }) =>
    setCookies((await disableTwoFactor(actor, { cookie, ...body })).cookies),
});
