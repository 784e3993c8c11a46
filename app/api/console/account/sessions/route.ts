import { listSessions, signOutEverywhere } from "#lib/accounts/service.ts";
import { route } from "#lib/api/route.ts";

export const GET = route({ auth: "session", may: null, handler: ({ actor }) => listSessions(actor) });

export const DELETE = route({
  auth: "session",
  may: null,
  handler: async ({ actor, setCookies }) => setCookies((await signOutEverywhere(actor)).cookies),
});
