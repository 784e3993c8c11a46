import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { AuditList } from "#components/audit/audit-list.tsx";
import { auditFilters, loadAuditParams } from "#components/audit/list-params.ts";
import { PageHeader } from "#components/layout/page-header.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { auditListOptions } from "#lib/audit/client.ts";
import { auditListQuery } from "#lib/audit/schema.ts";
import { listAuditEntries } from "#lib/audit/service.ts";
import { staffActor } from "#lib/auth/page-session.ts";

export const metadata: Metadata = { title: "Audit log" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const actor = await staffActor();
  const filters = auditFilters(await loadAuditParams(searchParams));
  const state = await prefetch({
    options: auditListOptions(filters),
    read: () => listAuditEntries(actor, auditListQuery.parse(filters)),
  });
  return (
    <HydrationBoundary state={state}>
      <PageHeader title="Audit log" />
      <AuditList />
    </HydrationBoundary>
  );
}
