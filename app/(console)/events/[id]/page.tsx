import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { latestEntries } from "#components/audit/list-params.ts";
import { EventView } from "#components/events/event-view.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { auditListOptions } from "#lib/audit/client.ts";
import { auditListQuery } from "#lib/audit/schema.ts";
import { listAuditEntries } from "#lib/audit/service.ts";
import { staffActor } from "#lib/auth/page-session.ts";
import { eventOptions } from "#lib/events/client.ts";
import { eventId } from "#lib/events/schema.ts";
import { getEvent } from "#lib/events/service.ts";

type Props = { params: Promise<{ id: string }> };

export const metadata: Metadata = { title: "Event" };

export default async function Page({ params }: Props) {
  const actor = await staffActor();
  const id = decodeURIComponent((await params).id);
  const entries = latestEntries("event", id);
  const state = await prefetch(
    { options: eventOptions(id), read: () => getEvent(actor, eventId.parse(id)) },
    {
      options: auditListOptions(entries),
      read: () => listAuditEntries(actor, auditListQuery.parse(entries)),
    },
  );
  return (
    <HydrationBoundary state={state}>
      <EventView id={id} />
    </HydrationBoundary>
  );
}
