import { Button } from "#components/ui/button.tsx";
import { PageHeader } from "./page-header.tsx";

/** What every `error.tsx` shows: `error` as the server lets the browser know it, by its digest alone. */
export function PageFailed({ error, retry }: { error: unknown; retry: () => void }) {
  const digest =
    typeof error === "object" && error !== null && "digest" in error ? String(error.digest) : null;
  return (
    <>
      <PageHeader title="This page failed" />
      <div role="alert" className="flex flex-col items-start gap-3">
        <p>
          An unexpected fault stopped the page from being shown.
          {digest ? ` The server's log has it under ${digest}.` : ""}
        </p>
        <Button onClick={retry}>Try again</Button>
      </div>
    </>
  );
}
