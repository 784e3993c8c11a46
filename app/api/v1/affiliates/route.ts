import { affiliateCreate, affiliateListQuery } from "#lib/affiliates/schema.ts";
import { createAffiliate, listAffiliates } from "#lib/affiliates/service.ts";
import { route } from "#lib/api/route.ts";

export const GET = route({
  auth: "api_key",
  may: "affiliate.read",
  query: affiliateListQuery,
  handler: ({ actor, query }) => listAffiliates(actor, query),
});

export const POST = route({
  auth: "api_key",
  may: "affiliate.create",
  body: affiliateCreate,
  status: 201,
  handler: ({ actor, body }) => createAffiliate(actor, body),
});
