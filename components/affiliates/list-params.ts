import { createLoader, type inferParserType, parseAsString } from "nuqs/server";
import type { AffiliateFilters } from "#lib/affiliates/client.ts";

/** The list's place in the URL, read alike on the server and in the browser. */
export const affiliateParams = { q: parseAsString, cursor: parseAsString };
export const loadAffiliateParams = createLoader(affiliateParams);

export function affiliateFilters(params: inferParserType<typeof affiliateParams>): AffiliateFilters {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
}
