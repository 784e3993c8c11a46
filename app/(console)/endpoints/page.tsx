import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { EndpointList } from "#components/endpoints/endpoint-list.tsx";
import { endpointFilters, loadEndpointParams } from "#components/endpoints/list-params.ts";
import { PageHeader } from "#components/layout/page-header.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { consoleActor } from "#lib/auth/actor.ts";
import { endpointListOptions } from "#lib/endpoints/client.ts";
import { endpointListQuery } from "#lib/endpoints/schema.ts";
import { listEndpoints } from "#lib/endpoints/service.ts";

export const metadata: Metadata = { title: "Endpoints" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const filters = endpointFilters(await loadEndpointParams(searchParams));
  const state = await prefetch({
    options: endpointListOptions(filters),
    read: () => listEndpoints(consoleActor, endpointListQuery.parse(filters)),
  });
  return (
    <HydrationBoundary state={state}>
      <PageHeader
        title="Endpoints"
        actions={
          <ButtonLink href="/endpoints/new" tone="primary">
            Create an endpoint
          </ButtonLink>
        }
      />
      <EndpointList />
    </HydrationBoundary>
  );
}
