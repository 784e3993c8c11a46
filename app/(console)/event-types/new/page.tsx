import type { Metadata } from "next";
import { EventTypeCreateForm } from "#components/event-types/create-form.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";
import { staffActor } from "#lib/auth/page-session.ts";

export const metadata: Metadata = { title: "New event type" };

export default async function Page() {
  await staffActor();
  return (
    <>
      <PageHeader title="New event type" trail={[{ href: "/event-types", label: "Event types" }]} />
      <EventTypeCreateForm />
    </>
  );
}
