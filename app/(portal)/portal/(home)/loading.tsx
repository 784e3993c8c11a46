import { PageHeader } from "#components/layout/page-header.tsx";
import { HomeSkeleton } from "#components/portal/home-skeleton.tsx";

export default function Loading() {
  return (
    <>
      <PageHeader title="Is everything arriving?" />
      <HomeSkeleton />
    </>
  );
}
