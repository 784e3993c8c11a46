import { route } from "#lib/api/route.ts";
import { newPasswordRequest } from "#lib/password-links/schema.ts";
import { usePasswordLink } from "#lib/password-links/service.ts";

export const POST = route({
  auth: "visitor",
  body: newPasswordRequest,
  handler: ({ from, body }) => usePasswordLink(from, body),
});
