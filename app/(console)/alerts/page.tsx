import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { AlertList } from "#components/alerts/alert-list.tsx";
import { alertFilters, loadAlertParams } from "#components/alerts/list-params.ts";
import { PageHeader } from "#components/layout/page-header.tsx";
import { alertListOptions } from "#lib/alerts/client.ts";
import { alertListQuery } from "#lib/alerts/schema.ts";
import { listAlerts } from "#lib/alerts/service.ts";
import { prefetch } from "#lib/api/prefetch.ts";
import { staffActor } from "#lib/auth/page-session.ts";

export const metadata: Metadata = { title: "Alerts" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const actor = await staffActor();
  const filters = alertFilters(await loadAlertParams(searchParams));
  const state = await prefetch({
    options: alertListOptions(filters),
    read: async () => listAlerts(actor, alertListQuery.parse(filters)),
  });
  return (
    <HydrationBoundary state={state}>
      <PageHeader title="Alerts" />
      <AlertList />
    </HydrationBoundary>
  );
}
