import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { EventTypeList } from "#components/event-types/event-type-list.tsx";
import { eventTypeFilters, loadEventTypeParams } from "#components/event-types/list-params.ts";
import { PageHeader } from "#components/layout/page-header.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { consoleActor } from "#lib/auth/actor.ts";
import { eventTypeListOptions } from "#lib/event-types/client.ts";
import { eventTypeListQuery } from "#lib/event-types/schema.ts";
import { listEventTypes } from "#lib/event-types/service.ts";

export const metadata: Metadata = { title: "Event types" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const filters = eventTypeFilters(await loadEventTypeParams(searchParams));
  const state = await prefetch({
    options: eventTypeListOptions(filters),
    read: () => listEventTypes(consoleActor, eventTypeListQuery.parse(filters)),
  });
  return (
    <HydrationBoundary state={state}>
      <PageHeader
        title="Event types"
        actions={
          <ButtonLink href="/event-types/new" tone="primary">
            Add an event type
          </ButtonLink>
        }
      />
      <EventTypeList />
    </HydrationBoundary>
  );
}
