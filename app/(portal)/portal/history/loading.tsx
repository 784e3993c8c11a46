import { PageHeader } from "#components/layout/page-header.tsx";
import { RecordSkeleton } from "#components/layout/record-skeleton.tsx";

export default function Loading() {
  return (
    <>
      <PageHeader title="Latency and success" />
      <RecordSkeleton />
    </>
  );
}
