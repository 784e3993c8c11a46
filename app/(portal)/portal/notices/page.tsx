import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { PageHeader } from "#components/layout/page-header.tsx";
import { loadNoticeParams, noticeFilters } from "#components/notices/list-params.ts";
import { NoticeList } from "#components/notices/notice-list.tsx";
import { NoticeSettingsPanel } from "#components/notices/notice-settings.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { affiliateActor } from "#lib/auth/page-session.ts";
import { noticeListOptions, noticeSettingsOptions } from "#lib/notices/client.ts";
import { noticeListQuery } from "#lib/notices/schema.ts";
import { getNoticeSettings, listNotices } from "#lib/notices/service.ts";

export const metadata: Metadata = { title: "Notices" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const actor = await affiliateActor();
  const filters = noticeFilters((await loadNoticeParams(searchParams)).cursor);
  const state = await prefetch(
    { options: noticeSettingsOptions(), read: () => getNoticeSettings(actor) },
    {
      options: noticeListOptions(filters),
      read: async () => listNotices(actor, noticeListQuery.parse(filters)),
    },
  );
  return (
    <HydrationBoundary state={state}>
      <PageHeader
        title="Notices"
        description="Be told when an endpoint of yours fails, and when it works again."
      />
      <NoticeSettingsPanel />
      <NoticeList />
    </HydrationBoundary>
  );
}
