import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { z } from "zod";
import { EndpointEditForm } from "#components/endpoints/edit-form.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { staffActor } from "#lib/auth/page-session.ts";
import { endpointOptions } from "#lib/endpoints/client.ts";
import { getEndpoint } from "#lib/endpoints/service.ts";

export const metadata: Metadata = { title: "Edit endpoint" };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const actor = await staffActor();
  const { id } = await params;
  const state = await prefetch({
    options: endpointOptions(id),
    read: () => getEndpoint(actor, z.uuid().parse(id)),
  });
  const trail = [
    { href: "/endpoints", label: "Endpoints" },
    { href: `/endpoints/${id}`, label: "Endpoint" },
  ];
  return (
    <HydrationBoundary state={state}>
      <PageHeader title="Edit endpoint" trail={trail} />
      <EndpointEditForm id={id} />
    </HydrationBoundary>
  );
}
