import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { PageHeader } from "#components/layout/page-header.tsx";
import { Guide } from "#components/portal/guide/guide.tsx";
import { catalogueFilters } from "#components/portal/guide/params.ts";
import { prefetch } from "#lib/api/prefetch.ts";
import { affiliateActor } from "#lib/auth/page-session.ts";
import { config } from "#lib/config.ts";
import { defaultTimeoutMs } from "#lib/endpoints/schema.ts";
import { eventTypeListOptions } from "#lib/event-types/client.ts";
import { eventTypeListQuery } from "#lib/event-types/schema.ts";
import { listEventTypes } from "#lib/event-types/service.ts";
import { connectTimeoutMs, keptBodyBytes } from "#lib/http/limits.ts";

export const metadata: Metadata = { title: "Guide" };

export default async function Page() {
  const actor = await affiliateActor();
  const state = await prefetch({
    options: eventTypeListOptions(catalogueFilters),
    read: () => listEventTypes(actor, eventTypeListQuery.parse(catalogueFilters)),
  });
  const { sourceAddresses } = config();
  return (
    <HydrationBoundary state={state}>
      <PageHeader title="Guide" description="What your server is sent, and what it should do with it." />
      <Guide facts={{ sourceAddresses, connectTimeoutMs, defaultTimeoutMs, keptBodyBytes }} />
    </HydrationBoundary>
  );
}
