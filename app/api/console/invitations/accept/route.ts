import { route } from "#lib/api/route.ts";
import { invitationAcceptance } from "#lib/invitations/schema.ts";
import { acceptInvitation } from "#lib/invitations/service.ts";

export const POST = route({
  auth: "visitor",
  body: invitationAcceptance,
  handler: ({ from, body }) => acceptInvitation(from, body),
});
