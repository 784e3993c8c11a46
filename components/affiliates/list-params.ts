import { createLoader, type inferParserType, parseAsString } from "nuqs/server";
import type { AffiliateFilters } from "#lib/affiliates/client.ts";
import type { DeliveryFilters } from "#lib/deliveries/client.ts";
import type { EndpointFilters } from "#lib/endpoints/client.ts";
import type { EventFilters } from "#lib/events/client.ts";

/** The list's place in the URL, read alike on the server and in the browser. */
export const affiliateParams = { q: parseAsString, cursor: parseAsString };
export const loadAffiliateParams = createLoader(affiliateParams);

export function affiliateFilters(params: inferParserType<typeof affiliateParams>): AffiliateFilters {
  return {
    ...Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null)),
    activity: "true",
  };
}

/** What an affiliate's own page shows of its endpoints, deliveries and events. */
export function affiliateEndpoints(key: string): EndpointFilters {
  return { affiliate: key, sort: "worst", activity: "true", limit: 20 };
}

export function affiliateDeliveries(key: string): DeliveryFilters {
  return { affiliate: key, limit: 10 };
}

export function affiliateEvents(key: string): EventFilters {
  return { affiliate: key, limit: 10 };
}
