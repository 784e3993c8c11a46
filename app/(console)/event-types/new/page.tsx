import type { Metadata } from "next";
import { EventTypeCreateForm } from "#components/event-types/create-form.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";

export const metadata: Metadata = { title: "New event type" };

export default function Page() {
  return (
    <>
      <PageHeader title="New event type" trail={[{ href: "/event-types", label: "Event types" }]} />
      <EventTypeCreateForm />
    </>
  );
}
