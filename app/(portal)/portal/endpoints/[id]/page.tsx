import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { PortalEndpointView } from "#components/portal/endpoint-view.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { affiliateActor } from "#lib/auth/page-session.ts";
import { secretListOptions } from "#lib/endpoint-secrets/client.ts";
import { listSecrets } from "#lib/endpoint-secrets/service.ts";
import { endpointOptions } from "#lib/endpoints/client.ts";
import { endpointForPage } from "#lib/endpoints/for-page.ts";

export const metadata: Metadata = { title: "Endpoint" };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const actor = await affiliateActor();
  const { id } = await params;
  const state = await prefetch(
    { options: endpointOptions(id), read: () => endpointForPage(actor, id) },
    { options: secretListOptions(id), read: () => listSecrets(actor, id) },
  );
  return (
    <HydrationBoundary state={state}>
      <PortalEndpointView id={id} />
    </HydrationBoundary>
  );
}
