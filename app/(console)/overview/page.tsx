import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { PageHeader } from "#components/layout/page-header.tsx";
import { OverviewView } from "#components/overview/overview-view.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { staffActor } from "#lib/auth/page-session.ts";
import { overviewOptions } from "#lib/stats/client.ts";
import { getOverview } from "#lib/stats/service.ts";

export const metadata: Metadata = { title: "Overview" };

export default async function Page() {
  const actor = await staffActor();
  const state = await prefetch({ options: overviewOptions(), read: () => getOverview(actor) });
  return (
    <HydrationBoundary state={state}>
      <PageHeader title="Overview" />
      <OverviewView />
    </HydrationBoundary>
  );
}
