import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { EndpointEditForm } from "#components/endpoints/edit-form.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { affiliateActor } from "#lib/auth/page-session.ts";
import { endpointOptions } from "#lib/endpoints/client.ts";
import { endpointForPage } from "#lib/endpoints/for-page.ts";

export const metadata: Metadata = { title: "Edit endpoint" };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const actor = await affiliateActor();
  const { id } = await params;
  const state = await prefetch({ options: endpointOptions(id), read: () => endpointForPage(actor, id) });
  const trail = [
    { href: "/portal/endpoints", label: "Endpoints" },
    { href: `/portal/endpoints/${id}`, label: "Endpoint" },
  ];
  return (
    <HydrationBoundary state={state}>
      <PageHeader title="Edit endpoint" trail={trail} />
      <EndpointEditForm id={id} />
    </HydrationBoundary>
  );
}
