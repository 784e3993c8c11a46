import { accountEdit } from "#lib/accounts/schema.ts";
import { editAccount, getAccount } from "#lib/accounts/service.ts";
import { route } from "#lib/api/route.ts";

export const GET = route({ auth: "session", may: null, handler: async ({ actor }) => getAccount(actor) });

export const PATCH = route({
  auth: "session",
  may: null,
  body: accountEdit,
  handler: ({ actor, body }) => editAccount(actor, body),
});
