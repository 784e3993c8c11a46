import { secondFactor } from "#lib/accounts/schema.ts";
import { signInWithCode } from "#lib/accounts/two-factor.ts";
import { route } from "#lib/api/route.ts";

export const POST = route({
  auth: "visitor",
  body: secondFactor,
  handler: async ({ from, cookie, body, setCookies }) =>
    setCookies((await signInWithCode({ cookie, from }, body)).cookies),
});
