import { route } from "#lib/api/route.ts";
import { viewAsRequest } from "#lib/view-as/schema.ts";
import { stopViewing, viewAsAffiliate } from "#lib/view-as/service.ts";

export const POST = route({
  auth: "session",
  may: "affiliate.view_as",
  body: viewAsRequest,
  handler: ({ actor, body }) => viewAsAffiliate(actor, body),
});

export const DELETE = route({ auth: "session", may: null, handler: ({ actor }) => stopViewing(actor) });
