import type { DeliveryFilters } from "#lib/deliveries/client.ts";

/** What an endpoint's page shows of its deliveries. */
export function latestDeliveries(endpointId: string): DeliveryFilters {
  return { endpoint: endpointId, limit: 10 };
}
