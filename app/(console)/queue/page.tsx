import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { PageHeader } from "#components/layout/page-header.tsx";
import { backlogFilters, loadQueueParams } from "#components/queue/list-params.ts";
import { QueueView } from "#components/queue/queue-view.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { staffActor } from "#lib/auth/page-session.ts";
import { endpointListOptions } from "#lib/endpoints/client.ts";
import { endpointListQuery } from "#lib/endpoints/schema.ts";
import { listEndpoints } from "#lib/endpoints/service.ts";
import { queueStatusOptions } from "#lib/queue-status/client.ts";
import { getQueueStatus } from "#lib/queue-status/service.ts";

export const metadata: Metadata = { title: "Queue" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const actor = await staffActor();
  const filters = backlogFilters((await loadQueueParams(searchParams)).cursor);
  const state = await prefetch(
    { options: queueStatusOptions(), read: () => getQueueStatus(actor) },
    {
      options: endpointListOptions(filters),
      read: () => listEndpoints(actor, endpointListQuery.parse(filters)),
    },
  );
  return (
    <HydrationBoundary state={state}>
      <PageHeader title="Queue" />
      <QueueView />
    </HydrationBoundary>
  );
}
