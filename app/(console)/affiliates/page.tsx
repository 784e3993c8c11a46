import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { AffiliateList } from "#components/affiliates/affiliate-list.tsx";
import { CreateAffiliate } from "#components/affiliates/create-affiliate.tsx";
import { affiliateFilters, loadAffiliateParams } from "#components/affiliates/list-params.ts";
import { PageHeader } from "#components/layout/page-header.tsx";
import { affiliateListOptions } from "#lib/affiliates/client.ts";
import { affiliateListQuery } from "#lib/affiliates/schema.ts";
import { listAffiliates } from "#lib/affiliates/service.ts";
import { prefetch } from "#lib/api/prefetch.ts";
import { staffActor } from "#lib/auth/page-session.ts";

export const metadata: Metadata = { title: "Affiliates" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const actor = await staffActor();
  const filters = affiliateFilters(await loadAffiliateParams(searchParams));
  const state = await prefetch({
    options: affiliateListOptions(filters),
    read: () => listAffiliates(actor, affiliateListQuery.parse(filters)),
  });
  return (
    <HydrationBoundary state={state}>
      <PageHeader title="Affiliates" actions={<CreateAffiliate />} />
      <AffiliateList />
    </HydrationBoundary>
  );
}
