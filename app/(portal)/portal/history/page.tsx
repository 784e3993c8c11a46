import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { historyTimes, loadHistoryParams } from "#components/charts/history-params.ts";
import { Performance } from "#components/charts/performance.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { affiliateActor } from "#lib/auth/page-session.ts";
import { historyOptions } from "#lib/stats/client.ts";
import { historyQuery } from "#lib/stats/schema.ts";
import { getHistory } from "#lib/stats/service.ts";

export const metadata: Metadata = { title: "Latency and success" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const actor = await affiliateActor();
  const times = historyTimes(await loadHistoryParams(searchParams));
  const state = await prefetch({
    options: historyOptions({}, times),
    read: async () => getHistory(actor, historyQuery.parse(times)),
  });
  return (
    <HydrationBoundary state={state}>
      <PageHeader
        title="Latency and success"
        description="How fast your servers answered, and how requests ended, over all your endpoints."
      />
      <Performance scope={{}} />
    </HydrationBoundary>
  );
}
