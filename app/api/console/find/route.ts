import { route } from "#lib/api/route.ts";
import { findRequest } from "#lib/stats/schema.ts";
import { find } from "#lib/stats/service.ts";

export const POST = route({
  auth: "session",
  may: "deployment.read",
  body: findRequest,
  handler: ({ actor, body }) => find(actor, body),
});
