import { createLoader, type inferParserType, parseAsString } from "nuqs/server";
import type { DeliveryFilters, DeliveryNarrowing } from "#lib/deliveries/client.ts";

/**
 * What the list is narrowed by, in the URL of the list and of a delivery that was opened from it. As text: the server says
 * what is wrong with one that nobody chose from a menu.
 */
export const deliveryFilterParams = {
  state: parseAsString,
  reason: parseAsString,
  status_class: parseAsString,
  endpoint: parseAsString,
  affiliate: parseAsString,
  type: parseAsString,
  attempts_min: parseAsString,
  attempts_max: parseAsString,
  from: parseAsString,
  to: parseAsString,
  event: parseAsString,
  requeue: parseAsString,
  q_hash: parseAsString,
};
export type DeliveryFilterParams = inferParserType<typeof deliveryFilterParams>;

/** The list's place in the URL, read alike on the server and in the browser. */
export const deliveryParams = { ...deliveryFilterParams, cursor: parseAsString };
export const loadDeliveryParams = createLoader(deliveryParams);

export function deliveryFilters(params: inferParserType<typeof deliveryParams>): DeliveryFilters {
  return withoutNulls(params) as DeliveryFilters;
}

/** Without the place in the list. */
export function deliveryNarrowing(params: DeliveryFilterParams): DeliveryNarrowing {
  const named = Object.keys(deliveryFilterParams).map((name) => [
    name,
    params[name as keyof DeliveryFilterParams],
  ]);
  return withoutNulls(Object.fromEntries(named)) as DeliveryNarrowing;
}

function withoutNulls(params: Record<string, string | null>) {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
}
