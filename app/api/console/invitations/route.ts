import { route } from "#lib/api/route.ts";
import { invitationCreate, invitationListQuery } from "#lib/invitations/schema.ts";
import { inviteUser, listInvitations } from "#lib/invitations/service.ts";

export const GET = route({
  auth: "session",
  may: "user.manage",
  query: invitationListQuery,
  handler: ({ actor, query }) => listInvitations(actor, query),
});

export const POST = route({
  auth: "session",
  may: "user.manage",
  body: invitationCreate,
  status: 201,
  handler: ({ actor, body }) => inviteUser(actor, body),
});
