import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { EventList } from "#components/events/event-list.tsx";
import { eventFilters, loadEventParams } from "#components/events/list-params.ts";
import { PageHeader } from "#components/layout/page-header.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { staffActor } from "#lib/auth/page-session.ts";
import { eventListOptions } from "#lib/events/client.ts";
import { eventListQuery } from "#lib/events/schema.ts";
import { listEvents } from "#lib/events/service.ts";

export const metadata: Metadata = { title: "Events" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const actor = await staffActor();
  const filters = eventFilters(await loadEventParams(searchParams));
  const state = await prefetch({
    options: eventListOptions(filters),
    read: () => listEvents(actor, eventListQuery.parse(filters)),
  });
  return (
    <HydrationBoundary state={state}>
      <PageHeader title="Events" />
      <EventList />
    </HydrationBoundary>
  );
}
