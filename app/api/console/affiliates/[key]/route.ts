import { z } from "zod";
import { affiliateEdit, affiliateKey } from "#lib/affiliates/schema.ts";
import { editAffiliate, getAffiliate } from "#lib/affiliates/service.ts";
import { route } from "#lib/api/route.ts";

const params = z.object({ key: affiliateKey });

export const GET = route({
  auth: "session",
  may: "affiliate.read",
  params,
  handler: ({ actor, params }) => getAffiliate(actor, params.key),
});

export const PATCH = route({
  auth: "session",
  may: "affiliate.edit",
  params,
  body: affiliateEdit,
  handler: ({ actor, params, body }) => editAffiliate(actor, params.key, body),
});
