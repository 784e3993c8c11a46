import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { DeliveryList } from "#components/deliveries/delivery-list.tsx";
import { deliveryFilters, loadDeliveryParams } from "#components/deliveries/list-params.ts";
import { PageHeader } from "#components/layout/page-header.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { affiliateActor } from "#lib/auth/page-session.ts";
import { deliveryListOptions } from "#lib/deliveries/client.ts";
import { deliveryListQuery } from "#lib/deliveries/schema.ts";
import { listDeliveries } from "#lib/deliveries/service.ts";

export const metadata: Metadata = { title: "Deliveries" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const actor = await affiliateActor();
  const filters = deliveryFilters(await loadDeliveryParams(searchParams));
  const state = await prefetch({
    options: deliveryListOptions(filters),
    read: () => listDeliveries(actor, deliveryListQuery.parse(filters)),
  });
  return (
    <HydrationBoundary state={state}>
      <PageHeader title="Deliveries" />
      <DeliveryList />
    </HydrationBoundary>
  );
}
