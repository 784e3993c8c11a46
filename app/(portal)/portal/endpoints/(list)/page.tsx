import { HydrationBoundary } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { PageHeader } from "#components/layout/page-header.tsx";
import { PortalEndpoints } from "#components/portal/endpoint-list.tsx";
import { loadPortalEndpointParams, portalEndpointFilters } from "#components/portal/list-params.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { affiliateActor } from "#lib/auth/page-session.ts";
import { endpointListOptions } from "#lib/endpoints/client.ts";
import { endpointListQuery } from "#lib/endpoints/schema.ts";
import { listEndpoints } from "#lib/endpoints/service.ts";

export const metadata: Metadata = { title: "Endpoints" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const actor = await affiliateActor();
  const filters = portalEndpointFilters(await loadPortalEndpointParams(searchParams));
  const state = await prefetch({
    options: endpointListOptions(filters),
    read: () => listEndpoints(actor, endpointListQuery.parse(filters)),
  });
  return (
    <HydrationBoundary state={state}>
      <PageHeader
        title="Endpoints"
        description="Where your events are sent."
        actions={
          <ButtonLink href="/portal/endpoints/new" tone="primary">
            <Plus aria-hidden />
            New endpoint
          </ButtonLink>
        }
      />
      <PortalEndpoints />
    </HydrationBoundary>
  );
}
