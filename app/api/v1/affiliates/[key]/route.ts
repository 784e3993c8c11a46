import { z } from "zod";
import { affiliateEdit, affiliateKey } from "#lib/affiliates/schema.ts";
import { deleteAffiliate, editAffiliate, getAffiliate } from "#lib/affiliates/service.ts";
import { route } from "#lib/api/route.ts";

const params = z.object({ key: affiliateKey });

export const GET = route({
  auth: "api_key",
  may: "affiliate.read",
  params,
  handler: ({ actor, params }) => getAffiliate(actor, params.key),
});

export const PATCH = route({
  auth: "api_key",
  may: "affiliate.edit",
  params,
  body: affiliateEdit,
  handler: ({ actor, params, body }) => editAffiliate(actor, params.key, body),
});

export const DELETE = route({
  auth: "api_key",
  may: "affiliate.delete",
  params,
  handler: ({ actor, params }) => deleteAffiliate(actor, params.key),
});
