import { z } from "zod";
import { affiliateKey } from "#lib/affiliates/schema.ts";
import { route } from "#lib/api/route.ts";
import { revokePortalLink } from "#lib/portal-links/service.ts";

export const DELETE = route({
  auth: "api_key",
  may: "portal_link.manage",
  params: z.object({ key: affiliateKey, id: z.uuid() }),
  handler: ({ actor, params }) => revokePortalLink(actor, params.key, params.id),
});
