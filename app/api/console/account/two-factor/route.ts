import { passwordProof } from "#lib/accounts/schema.ts";
import { beginTwoFactor } from "#lib/accounts/two-factor.ts";
import { route } from "#lib/api/route.ts";

export const POST = route({
  auth: "session",
  may: null,
  body: passwordProof,
  handler: ({ actor, cookie, body }) => beginTwoFactor(actor, { cookie, ...body }),
});
