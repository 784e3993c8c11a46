import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { PortalHome } from "#components/portal/home.tsx";
import { homeFilters } from "#components/portal/home-params.ts";
import { prefetch } from "#lib/api/prefetch.ts";
import { affiliateActor } from "#lib/auth/page-session.ts";
import { endpointListOptions } from "#lib/endpoints/client.ts";
import { endpointListQuery } from "#lib/endpoints/schema.ts";
import { listEndpoints } from "#lib/endpoints/service.ts";

export const metadata: Metadata = { title: "Home" };

export default async function Page() {
  const actor = await affiliateActor();
  const state = await prefetch({
    options: endpointListOptions(homeFilters),
    read: () => listEndpoints(actor, endpointListQuery.parse(homeFilters)),
  });
  return (
    <HydrationBoundary state={state}>
      <PortalHome affiliateName={actor.affiliate?.name ?? ""} />
    </HydrationBoundary>
  );
}
