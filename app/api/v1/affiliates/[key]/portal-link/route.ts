import { z } from "zod";
import { affiliateKey } from "#lib/affiliates/schema.ts";
import { route } from "#lib/api/route.ts";
import { portalLinkCreate, portalLinkListQuery } from "#lib/portal-links/schema.ts";
import { createPortalLink, listPortalLinks } from "#lib/portal-links/service.ts";

const params = z.object({ key: affiliateKey });

export const GET = route({
  auth: "api_key",
  may: "portal_link.manage",
  params,
  query: portalLinkListQuery,
  handler: ({ actor, params, query }) => listPortalLinks(actor, params.key, query),
});

export const POST = route({
  auth: "api_key",
  may: "portal_link.manage",
  params,
  optionalBody: portalLinkCreate,
  status: 201,
  handler: ({ actor, params, body }) => createPortalLink(actor, params.key, body),
});
