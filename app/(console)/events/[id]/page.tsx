import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { EventView } from "#components/events/event-view.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { staffActor } from "#lib/auth/page-session.ts";
import { eventOptions } from "#lib/events/client.ts";
import { eventId } from "#lib/events/schema.ts";
import { getEvent } from "#lib/events/service.ts";

type Props = { params: Promise<{ id: string }> };

export const metadata: Metadata = { title: "Event" };

export default async function Page({ params }: Props) {
  const actor = await staffActor();
  const id = decodeURIComponent((await params).id);
  const state = await prefetch({
    options: eventOptions(id),
    read: () => getEvent(actor, eventId.parse(id)),
  });
  return (
    <HydrationBoundary state={state}>
      <EventView id={id} />
    </HydrationBoundary>
  );
}
