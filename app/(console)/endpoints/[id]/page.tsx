import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { z } from "zod";
import { EndpointView } from "#components/endpoints/endpoint-view.tsx";
import { latestDeliveries } from "#components/endpoints/latest-deliveries.ts";
import { prefetch } from "#lib/api/prefetch.ts";
import { consoleActor } from "#lib/auth/actor.ts";
import { deliveryListOptions } from "#lib/deliveries/client.ts";
import { deliveryListQuery } from "#lib/deliveries/schema.ts";
import { listDeliveries } from "#lib/deliveries/service.ts";
import { endpointOptions } from "#lib/endpoints/client.ts";
import { getEndpoint } from "#lib/endpoints/service.ts";

type Props = { params: Promise<{ id: string }> };

export const metadata: Metadata = { title: "Endpoint" };

export default async function Page({ params }: Props) {
  const id = decodeURIComponent((await params).id);
  const state = await prefetch(
    { options: endpointOptions(id), read: () => getEndpoint(consoleActor, z.uuid().parse(id)) },
    {
      options: deliveryListOptions(latestDeliveries(id)),
      read: () => listDeliveries(consoleActor, deliveryListQuery.parse(latestDeliveries(id))),
    },
  );
  return (
    <HydrationBoundary state={state}>
      <EndpointView id={id} />
    </HydrationBoundary>
  );
}
