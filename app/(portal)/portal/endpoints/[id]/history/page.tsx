import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { z } from "zod";
import { historyTimes, loadHistoryParams } from "#components/charts/history-params.ts";
import { EndpointHistory } from "#components/portal/endpoint-history.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { affiliateActor } from "#lib/auth/page-session.ts";
import { endpointOptions } from "#lib/endpoints/client.ts";
import { getEndpoint } from "#lib/endpoints/service.ts";
import { historyOptions } from "#lib/stats/client.ts";
import { historyQuery } from "#lib/stats/schema.ts";
import { getHistory } from "#lib/stats/service.ts";

type Props = { params: Promise<{ id: string }>; searchParams: Promise<SearchParams> };

export const metadata: Metadata = { title: "Latency and success" };

export default async function Page({ params, searchParams }: Props) {
  const actor = await affiliateActor();
  const id = decodeURIComponent((await params).id);
  const times = historyTimes(await loadHistoryParams(searchParams));
  const state = await prefetch(
    { options: endpointOptions(id), read: () => getEndpoint(actor, z.uuid().parse(id)) },
    {
      options: historyOptions({ endpointId: id }, times),
      read: async () => getHistory(actor, historyQuery.parse({ ...times, endpoint: id })),
    },
  );
  return (
    <HydrationBoundary state={state}>
      <EndpointHistory id={id} />
    </HydrationBoundary>
  );
}
