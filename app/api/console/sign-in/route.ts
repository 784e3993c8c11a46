import { signInRequest } from "#lib/accounts/schema.ts";
import { signIn } from "#lib/accounts/service.ts";
import { route } from "#lib/api/route.ts";

export const POST = route({
  auth: "visitor",
  body: signInRequest,
  handler: async ({ from, body, setCookies }) => setCookies((await signIn(from, body)).cookies),
});
