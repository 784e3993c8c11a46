import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { AffiliateView } from "#components/affiliates/affiliate-view.tsx";
import {
  affiliateDeliveries,
  affiliateEndpoints,
  affiliateEvents,
} from "#components/affiliates/list-params.ts";
import { historyTimes, loadHistoryParams } from "#components/charts/history-params.ts";
import { affiliateOptions } from "#lib/affiliates/client.ts";
import { affiliateKey } from "#lib/affiliates/schema.ts";
import { getAffiliate } from "#lib/affiliates/service.ts";
import { prefetch } from "#lib/api/prefetch.ts";
import { staffActor } from "#lib/auth/page-session.ts";
import { deliveryListOptions } from "#lib/deliveries/client.ts";
import { deliveryListQuery } from "#lib/deliveries/schema.ts";
import { listDeliveries } from "#lib/deliveries/service.ts";
import { endpointListOptions } from "#lib/endpoints/client.ts";
import { endpointListQuery } from "#lib/endpoints/schema.ts";
import { listEndpoints } from "#lib/endpoints/service.ts";
import { eventListOptions } from "#lib/events/client.ts";
import { eventListQuery } from "#lib/events/schema.ts";
import { listEvents } from "#lib/events/service.ts";
import { historyOptions } from "#lib/stats/client.ts";
import { historyQuery } from "#lib/stats/schema.ts";
import { getHistory } from "#lib/stats/service.ts";

type Props = { params: Promise<{ key: string }>; searchParams: Promise<SearchParams> };

export const metadata: Metadata = { title: "Affiliate" };

export default async function Page({ params, searchParams }: Props) {
  const actor = await staffActor();
  const key = decodeURIComponent((await params).key);
  const times = historyTimes(await loadHistoryParams(searchParams));
  const state = await prefetch(
    { options: affiliateOptions(key), read: () => getAffiliate(actor, affiliateKey.parse(key)) },
    {
      options: historyOptions({ affiliate: key }, times),
      read: async () => getHistory(actor, historyQuery.parse({ ...times, affiliate: key })),
    },
    {
      options: endpointListOptions(affiliateEndpoints(key)),
      read: () => listEndpoints(actor, endpointListQuery.parse(affiliateEndpoints(key))),
    },
    {
      options: deliveryListOptions(affiliateDeliveries(key)),
      read: () => listDeliveries(actor, deliveryListQuery.parse(affiliateDeliveries(key))),
    },
    {
      options: eventListOptions(affiliateEvents(key)),
      read: () => listEvents(actor, eventListQuery.parse(affiliateEvents(key))),
    },
  );
  return (
    <HydrationBoundary state={state}>
      <AffiliateView affiliateKey={key} />
    </HydrationBoundary>
  );
}
