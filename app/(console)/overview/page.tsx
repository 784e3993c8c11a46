import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { historyTimes, loadHistoryParams } from "#components/charts/history-params.ts";
import { PageHeader } from "#components/layout/page-header.tsx";
import { OverviewView } from "#components/overview/overview-view.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { staffActor } from "#lib/auth/page-session.ts";
import { historyOptions, overviewOptions } from "#lib/stats/client.ts";
import { historyQuery } from "#lib/stats/schema.ts";
import { getHistory, getOverview } from "#lib/stats/service.ts";

export const metadata: Metadata = { title: "Overview" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const actor = await staffActor();
  const times = historyTimes(await loadHistoryParams(searchParams));
  const state = await prefetch(
    { options: overviewOptions(), read: () => getOverview(actor) },
    {
      options: historyOptions({}, times),
      read: async () => getHistory(actor, historyQuery.parse(times)),
    },
  );
  return (
    <HydrationBoundary state={state}>
      <PageHeader title="Overview" />
      <OverviewView />
    </HydrationBoundary>
  );
}
