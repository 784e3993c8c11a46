import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { ChangeList } from "#components/approvals/change-list.tsx";
import { changeFilters, loadChangeParams } from "#components/approvals/list-params.ts";
import { PageHeader } from "#components/layout/page-header.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { staffActor } from "#lib/auth/page-session.ts";
import { config } from "#lib/config.ts";
import { changeListOptions } from "#lib/endpoint-changes/client.ts";
import { changeListQuery } from "#lib/endpoint-changes/schema.ts";
import { listChanges } from "#lib/endpoint-changes/service.ts";

export const metadata: Metadata = { title: "Approvals" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const actor = await staffActor();
  const filters = changeFilters(await loadChangeParams(searchParams));
  const state = await prefetch({
    options: changeListOptions(filters),
    read: async () => listChanges(actor, changeListQuery.parse(filters)),
  });
  return (
    <HydrationBoundary state={state}>
      <PageHeader title="Approvals" />
      <ChangeList isOn={config().approveHostChanges} />
    </HydrationBoundary>
  );
}
