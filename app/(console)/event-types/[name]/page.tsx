import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { latestEntries } from "#components/audit/list-params.ts";
import { EventTypeView } from "#components/event-types/event-type-view.tsx";
import { loadEventTypeParams, subscriberFilters } from "#components/event-types/list-params.ts";
import { prefetch } from "#lib/api/prefetch.ts";
import { auditListOptions } from "#lib/audit/client.ts";
import { auditListQuery } from "#lib/audit/schema.ts";
import { listAuditEntries } from "#lib/audit/service.ts";
import { staffActor } from "#lib/auth/page-session.ts";
import { endpointListOptions } from "#lib/endpoints/client.ts";
import { endpointListQuery } from "#lib/endpoints/schema.ts";
import { listEndpoints } from "#lib/endpoints/service.ts";
import { eventTypeOptions } from "#lib/event-types/client.ts";
import { eventTypeName } from "#lib/event-types/schema.ts";
import { getEventType } from "#lib/event-types/service.ts";

type Props = { params: Promise<{ name: string }>; searchParams: Promise<SearchParams> };

export const metadata: Metadata = { title: "Event type" };

export default async function Page({ params, searchParams }: Props) {
  const actor = await staffActor();
  const name = decodeURIComponent((await params).name);
  const subscribers = subscriberFilters(name, await loadEventTypeParams(searchParams));
  const entries = latestEntries("event_type", name);
  const state = await prefetch(
    { options: eventTypeOptions(name), read: () => getEventType(actor, eventTypeName.parse(name)) },
    {
      options: endpointListOptions(subscribers),
      read: () => listEndpoints(actor, endpointListQuery.parse(subscribers)),
    },
    {
      options: auditListOptions(entries),
      read: () => listAuditEntries(actor, auditListQuery.parse(entries)),
    },
  );
  return (
    <HydrationBoundary state={state}>
      <EventTypeView name={name} />
    </HydrationBoundary>
  );
}
