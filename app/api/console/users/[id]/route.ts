import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { roleOf } from "#lib/users/schema.ts";
import { changeUserRole, getUser } from "#lib/users/service.ts";

const params = z.object({ id: z.uuid() });

export const GET = route({
  auth: "session",
  may: "user.manage",
  params,
  handler: ({ actor, params }) => getUser(actor, params.id),
});

export const PATCH = route({
  auth: "session",
  may: "user.manage",
  params,
  body: roleOf,
  handler: ({ actor, params, body }) => changeUserRole(actor, params.id, body),
});
