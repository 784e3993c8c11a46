import { passwordChange } from "#lib/accounts/schema.ts";
import { changePassword } from "#lib/accounts/service.ts";
import { route } from "#lib/api/route.ts";

export const POST = route({
  auth: "session",
  may: null,
  body: passwordChange,
  handler: ({ actor, body }) => changePassword(actor, body),
});
