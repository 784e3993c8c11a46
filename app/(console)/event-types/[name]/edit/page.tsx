import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { EventTypeEditForm } from "#components/event-types/edit-form.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { staffActor } from "#lib/auth/page-session.ts";
import { eventTypeOptions } from "#lib/event-types/client.ts";
import { eventTypeName } from "#lib/event-types/schema.ts";
import { getEventType } from "#lib/event-types/service.ts";

export const metadata: Metadata = { title: "Edit event type" };

export default async function Page({ params }: { params: Promise<{ name: string }> }) {
  const actor = await staffActor();
  const name = decodeURIComponent((await params).name);
  const state = await prefetch({
    options: eventTypeOptions(name),
    read: () => getEventType(actor, eventTypeName.parse(name)),
  });
  const trail = [
    { href: "/event-types", label: "Event types" },
    { href: `/event-types/${encodeURIComponent(name)}`, label: name },
  ];
  return (
    <HydrationBoundary state={state}>
      <PageHeader title="Edit event type" trail={trail} />
      <EventTypeEditForm name={name} />
    </HydrationBoundary>
  );
}
