import { route } from "#lib/api/route.ts";
import { userListQuery } from "#lib/users/schema.ts";
import { listUsers } from "#lib/users/service.ts";

export const GET = route({
  auth: "session",
  may: "user.manage",
  query: userListQuery,
  handler: ({ actor, query }) => listUsers(actor, query),
});
