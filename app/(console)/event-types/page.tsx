import { HydrationBoundary } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { EventTypeList } from "#components/event-types/event-type-list.tsx";
import { eventTypeFilters, loadEventTypeParams } from "#components/event-types/list-params.ts";
import { MayLink } from "#components/layout/may-link.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { staffActor } from "#lib/auth/page-session.ts";
import { eventTypeListOptions } from "#lib/event-types/client.ts";
import { eventTypeListQuery } from "#lib/event-types/schema.ts";
import { listEventTypes } from "#lib/event-types/service.ts";

export const metadata: Metadata = { title: "Event types" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const actor = await staffActor();
  const filters = eventTypeFilters(await loadEventTypeParams(searchParams));
  const state = await prefetch({
    options: eventTypeListOptions(filters),
    read: () => listEventTypes(actor, eventTypeListQuery.parse(filters)),
  });
  return (
    <HydrationBoundary state={state}>
      <PageHeader
        title="Event types"
        actions={
          <MayLink href="/event-types/new" tone="primary" verb="event_type.create">
            <Plus aria-hidden />
            Add an event type
          </MayLink>
        }
      />
      <EventTypeList />
    </HydrationBoundary>
  );
}
