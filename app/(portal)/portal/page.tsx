import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { PageHeader } from "#components/layout/page-header.tsx";
import { loadPortalParams, portalFilters } from "#components/portal/list-params.ts";
import { PortalEndpoints } from "#components/portal/portal-endpoints.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { affiliateActor } from "#lib/auth/page-session.ts";
import { endpointListOptions } from "#lib/endpoints/client.ts";
import { endpointListQuery } from "#lib/endpoints/schema.ts";
import { listEndpoints } from "#lib/endpoints/service.ts";

export const metadata: Metadata = { title: "Your endpoints" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const actor = await affiliateActor();
  const filters = portalFilters((await loadPortalParams(searchParams)).cursor);
  const state = await prefetch({
    options: endpointListOptions(filters),
    read: () => listEndpoints(actor, endpointListQuery.parse(filters)),
  });
  return (
    <HydrationBoundary state={state}>
      <PageHeader title="Your endpoints" description={actor.affiliate?.name} />
      <PortalEndpoints />
    </HydrationBoundary>
  );
}
