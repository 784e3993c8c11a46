import { signOut } from "#lib/accounts/service.ts";
import { route } from "#lib/api/route.ts";

export const POST = route({
  auth: "session",
  may: null,
  handler: async ({ actor, setCookies }) => setCookies((await signOut(actor)).cookies),
});
