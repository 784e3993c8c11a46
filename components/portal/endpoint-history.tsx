"use client";

import { useQuery } from "@tanstack/react-query";
import { Performance } from "#components/charts/performance.tsx";
import { ErrorState } from "#components/data-table/states.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { RecordSkeleton } from "#components/layout/record-skeleton.tsx";
import { endpointOptions } from "#lib/endpoints/client.ts";

/** Latency and success of one of the affiliate's endpoints over time. */
export function EndpointHistory({ id }: { id: string }) {
  const query = useQuery({ ...endpointOptions(id), refetchInterval: useLiveInterval() });
  const { data: endpoint, error } = query;
  const title = "Latency and success";
  if (!endpoint) {
    return (
      <>
        <PageHeader title={title} />
        {error ? (
          <ErrorState
            what="The endpoint"
            error={error}
            onRetry={() => void query.refetch()}
            busy={query.isFetching}
          />
        ) : (
          <RecordSkeleton />
        )}
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={title}
        trail={[{ href: `/portal/endpoints/${id}`, label: endpoint.name }]}
        description="How fast your server answered, and how requests to it ended."
      />
      <Performance scope={{ endpointId: id }} />
    </>
  );
}
