import { PageHeader } from "#components/layout/page-header.tsx";
import { OverviewSkeleton } from "#components/overview/overview-skeleton.tsx";

export default function Loading() {
  return (
    <>
      <PageHeader title="Overview" />
      <OverviewSkeleton />
    </>
  );
}
