import { TableSkeleton } from "#components/data-table/states.tsx";
import { FindingsSkeleton } from "#components/dead-letters/findings-skeleton.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";

export default function Loading() {
  return (
    <>
      <PageHeader title="Dead letters" />
      <div className="mb-6">
        <FindingsSkeleton />
      </div>
      <TableSkeleton />
    </>
  );
}
