"use client";

import { PageFailed } from "#components/layout/page-failed.tsx";

/** For faults of what is around the pages, such as not being able to read who asks. */
export default function LayoutError(props: { error: unknown; retry: () => void }) {
  return (
    <main className="mx-auto max-w-prose px-6 py-24">
      <PageFailed {...props} />
    </main>
  );
}
