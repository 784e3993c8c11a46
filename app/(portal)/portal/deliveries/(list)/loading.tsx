import { TableSkeleton } from "#components/data-table/states.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";

export default function Loading() {
  return (
    <>
      <PageHeader title="Deliveries" />
      <TableSkeleton />
    </>
  );
}
