"use client";

import { useMutation } from "@tanstack/react-query";
import { ChangeStatePill } from "#components/approvals/state-pill.tsx";
import { useRefusal } from "#components/layout/reader.tsx";
import { RelativeTime } from "#components/layout/time.tsx";
import { Button } from "#components/ui/button.tsx";
import { toastFailed } from "#components/ui/toast.tsx";
import { withdrawChangeOptions } from "#lib/endpoint-changes/client.ts";
import type { EndpointChange } from "#lib/endpoint-changes/schema.ts";

type Props = { endpointId: string; change: EndpointChange | null };

/** What became of an edit that would send an endpoint's events to another host; nothing without one. */
export function PendingChange({ endpointId, change }: Props) {
  const refusal = useRefusal("endpoint.edit");
  const withdraw = useMutation({
    ...withdrawChangeOptions,
    onError: (error) => toastFailed("It was not withdrawn.", error),
  });
  if (change === null || change.state === "replaced" || change.state === "withdrawn") return null;
  const isPending = change.state === "pending";
  return (
    <section
      aria-label="Change of host"
      className="mb-4 flex flex-wrap items-start justify-between gap-3 rounded-lg border border-line bg-surface px-4 py-3"
    >
      <div className="flex min-w-0 flex-col gap-1">
        <p className="flex flex-wrap items-center gap-2">
          <ChangeStatePill state={change.state} />
          <span className="text-ink-2">
            Asked for by {change.requested_by}, <RelativeTime iso={change.requested_at} />
          </span>
        </p>
        <p className="wrap-anywhere font-mono text-xs">{change.to_url}</p>
        <p className="text-ink-2">
          {isPending
            ? "Another host needs the approval of Posthorn's operators. Until then the endpoint goes on as it was, and nothing else of the edit is changed either."
            : change.state === "approved"
              ? "The endpoint was changed as asked."
              : `The endpoint goes on as it was. Reason: ${change.reason ?? "none was given"}`}
        </p>
      </div>
      {isPending ? (
        <Button
          busy={withdraw.isPending}
          disabledReason={refusal}
          onClick={() => withdraw.mutate(endpointId)}
        >
          Withdraw
        </Button>
      ) : null}
    </section>
  );
}
