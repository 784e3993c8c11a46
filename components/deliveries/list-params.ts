import { createLoader, type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import type { DeliveryFilters } from "#lib/deliveries/client.ts";
import { deliveryStates } from "#lib/vocabulary.ts";

/** The list's place in the URL, read alike on the server and in the browser. */
export const deliveryParams = {
  state: parseAsStringLiteral(deliveryStates),
  endpoint: parseAsString,
  affiliate: parseAsString,
  event: parseAsString,
  q_hash: parseAsString,
  cursor: parseAsString,
};
export const loadDeliveryParams = createLoader(deliveryParams);

export function deliveryFilters(params: inferParserType<typeof deliveryParams>): DeliveryFilters {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
}
