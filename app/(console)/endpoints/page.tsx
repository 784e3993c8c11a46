import { HydrationBoundary } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { EndpointList } from "#components/endpoints/endpoint-list.tsx";
import { endpointFilters, loadEndpointParams } from "#components/endpoints/list-params.ts";
import { MayLink } from "#components/layout/may-link.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { staffActor } from "#lib/auth/page-session.ts";
import { endpointListOptions } from "#lib/endpoints/client.ts";
import { endpointListQuery } from "#lib/endpoints/schema.ts";
import { listEndpoints } from "#lib/endpoints/service.ts";

export const metadata: Metadata = { title: "Endpoints" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const actor = await staffActor();
  const filters = endpointFilters(await loadEndpointParams(searchParams));
  const state = await prefetch({
    options: endpointListOptions(filters),
    read: () => listEndpoints(actor, endpointListQuery.parse(filters)),
  });
  return (
    <HydrationBoundary state={state}>
      <PageHeader
        title="Endpoints"
        actions={
          <MayLink href="/endpoints/new" tone="primary" verb="endpoint.create">
            <Plus aria-hidden />
            Create an endpoint
          </MayLink>
        }
      />
      <EndpointList />
    </HydrationBoundary>
  );
}
