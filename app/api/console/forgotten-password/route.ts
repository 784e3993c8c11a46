import { route } from "#lib/api/route.ts";
import { forgottenPassword } from "#lib/password-links/schema.ts";
import { askForPasswordLink } from "#lib/password-links/service.ts";

export const POST = route({
  auth: "visitor",
  body: forgottenPassword,
  handler: ({ from, body }) => askForPasswordLink(from, body),
});
