import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { DeliveryView } from "#components/deliveries/delivery-view.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { affiliateActor } from "#lib/auth/page-session.ts";
import { deliveryOptions } from "#lib/deliveries/client.ts";
import { deliveryForPage } from "#lib/deliveries/for-page.ts";
import { deliveryId } from "#lib/deliveries/schema.ts";

type Props = { params: Promise<{ id: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Delivery ${(await params).id}` };
}

export default async function Page({ params }: Props) {
  const actor = await affiliateActor();
  const id = decodeURIComponent((await params).id);
  const state = await prefetch({
    options: deliveryOptions(id),
    read: async () => deliveryForPage(actor, deliveryId.parse(id)),
  });
  return (
    <HydrationBoundary state={state}>
      <DeliveryView id={id} />
    </HydrationBoundary>
  );
}
