import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { z } from "zod";
import { latestEntries } from "#components/audit/list-params.ts";
import { historyTimes, loadHistoryParams } from "#components/charts/history-params.ts";
import { breakerFilters, loadBreakerParams } from "#components/endpoints/breaker-params.ts";
import { EndpointView } from "#components/endpoints/endpoint-view.tsx";
import { latestDeliveries } from "#components/endpoints/latest-deliveries.ts";
import { prefetch } from "#lib/api/prefetch.ts";
import { auditListOptions } from "#lib/audit/client.ts";
import { auditListQuery } from "#lib/audit/schema.ts";
import { listAuditEntries } from "#lib/audit/service.ts";
import { staffActor } from "#lib/auth/page-session.ts";
import { breakerHistoryOptions } from "#lib/breakers/client.ts";
import { breakerHistoryQuery } from "#lib/breakers/schema.ts";
import { listBreakerMoves } from "#lib/breakers/service.ts";
import { deliveryListOptions } from "#lib/deliveries/client.ts";
import { deliveryListQuery } from "#lib/deliveries/schema.ts";
import { listDeliveries } from "#lib/deliveries/service.ts";
import { secretListOptions } from "#lib/endpoint-secrets/client.ts";
import { listSecrets } from "#lib/endpoint-secrets/service.ts";
import { endpointOptions } from "#lib/endpoints/client.ts";
import { getEndpoint } from "#lib/endpoints/service.ts";
import { historyOptions } from "#lib/stats/client.ts";
import { historyQuery } from "#lib/stats/schema.ts";
import { getHistory } from "#lib/stats/service.ts";

type Props = { params: Promise<{ id: string }>; searchParams: Promise<SearchParams> };

export const metadata: Metadata = { title: "Endpoint" };

export default async function Page({ params, searchParams }: Props) {
  const actor = await staffActor();
  const id = decodeURIComponent((await params).id);
  const history = breakerFilters((await loadBreakerParams(searchParams)).breaker_cursor);
  const times = historyTimes(await loadHistoryParams(searchParams));
  const state = await prefetch(
    { options: endpointOptions(id), read: () => getEndpoint(actor, z.uuid().parse(id)) },
    {
      options: historyOptions({ endpointId: id }, times),
      read: async () => getHistory(actor, historyQuery.parse({ ...times, endpoint: id })),
    },
    {
      options: deliveryListOptions(latestDeliveries(id)),
      read: () => listDeliveries(actor, deliveryListQuery.parse(latestDeliveries(id))),
    },
    {
      options: secretListOptions(id),
      read: () => listSecrets(actor, z.uuid().parse(id)),
    },
    {
      options: breakerHistoryOptions(id, history),
      read: () => listBreakerMoves(actor, z.uuid().parse(id), breakerHistoryQuery.parse(history)),
    },
    {
      options: auditListOptions(latestEntries("endpoint", id)),
      read: () => listAuditEntries(actor, auditListQuery.parse(latestEntries("endpoint", id))),
    },
  );
  return (
    <HydrationBoundary state={state}>
      <EndpointView id={id} />
    </HydrationBoundary>
  );
}
