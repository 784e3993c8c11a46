import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { PageHeader } from "#components/layout/page-header.tsx";
import { loadRequeueParams, requeueFilters } from "#components/requeues/list-params.ts";
import { RequeueList } from "#components/requeues/requeue-list.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { staffActor } from "#lib/auth/page-session.ts";
import { requeueListOptions } from "#lib/requeues/client.ts";
import { requeueListQuery } from "#lib/requeues/schema.ts";
import { listRequeues } from "#lib/requeues/service.ts";

export const metadata: Metadata = { title: "Requeues" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const actor = await staffActor();
  const filters = requeueFilters(await loadRequeueParams(searchParams));
  const state = await prefetch({
    options: requeueListOptions(filters),
    read: () => listRequeues(actor, requeueListQuery.parse(filters)),
  });
  return (
    <HydrationBoundary state={state}>
      <PageHeader title="Requeues" />
      <RequeueList />
    </HydrationBoundary>
  );
}
