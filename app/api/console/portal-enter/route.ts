import { route } from "#lib/api/route.ts";
import { portalEntry } from "#lib/portal-links/schema.ts";
import { enterPortal } from "#lib/portal-links/service.ts";

export const POST = route({
  auth: "visitor",
  body: portalEntry,
  handler: async ({ from, cookie, body, setCookies }) =>
    setCookies((await enterPortal({ cookie, from }, body)).cookies),
});
