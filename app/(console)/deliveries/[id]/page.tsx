import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { latestEntries } from "#components/audit/list-params.ts";
import { DeliveryView } from "#components/deliveries/delivery-view.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { auditListOptions } from "#lib/audit/client.ts";
import { auditListQuery } from "#lib/audit/schema.ts";
import { listAuditEntries } from "#lib/audit/service.ts";
import { staffActor } from "#lib/auth/page-session.ts";
import { deliveryOptions } from "#lib/deliveries/client.ts";
import { deliveryId } from "#lib/deliveries/schema.ts";
import { getDelivery } from "#lib/deliveries/service.ts";

type Props = { params: Promise<{ id: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Delivery ${(await params).id}` };
}

export default async function Page({ params }: Props) {
  const actor = await staffActor();
  const id = decodeURIComponent((await params).id);
  const entries = latestEntries("delivery", id);
  const state = await prefetch(
    { options: deliveryOptions(id), read: () => getDelivery(actor, deliveryId.parse(id)) },
    {
      options: auditListOptions(entries),
      read: () => listAuditEntries(actor, auditListQuery.parse(entries)),
    },
  );
  return (
    <HydrationBoundary state={state}>
      <DeliveryView id={id} />
    </HydrationBoundary>
  );
}
