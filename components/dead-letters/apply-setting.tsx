"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useRefusal } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/lazy-dialog.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import type { RemedyAction } from "#lib/delivery/diagnosis/types.ts";
import { editEndpointOptions, endpointOptions } from "#lib/endpoints/client.ts";
import { retryWords } from "#lib/endpoints/retry-words.ts";
import type { EndpointDetail } from "#lib/endpoints/schema.ts";
import { rateWords } from "#lib/endpoints/setting-words.ts";
import { formatSpan } from "#lib/format.ts";

type Setting = Extract<RemedyAction, { kind: "set_rate_limit" | "set_retry" | "set_timeout" }>;
type Words = { label: string; title: string; before: (endpoint: EndpointDetail) => string; after: string };

/** Sets what a finding suggests, after showing what is set now. */
export function ApplySetting({
  action,
  endpoint,
}: {
  action: Setting;
  endpoint: { id: string; name: string };
}) {
  const [open, setOpen] = useState(false);
  const { data: current } = useQuery({ ...endpointOptions(endpoint.id), enabled: open });
  const edit = useMutation(editEndpointOptions);
  const refusal = useRefusal("endpoint.edit");
  const { label, title, before, after } = wordsOf(action);
  const apply = () =>
    edit.mutate(
      { id: endpoint.id, edit: editOf(action) },
      {
        onSuccess: () => {
          setOpen(false);
          toastDone(`${title} of ${endpoint.name} is set; the next request uses it.`, {
            href: `/endpoints/${endpoint.id}`,
            label: "Open the endpoint",
          });
        },
      },
    );
  return (
    <>
      <Button
        disabledReason={refusal}
        onClick={() => {
          edit.reset();
          setOpen(true);
        }}
      >
        {label}
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        title={`${label}?`}
        confirmLabel={label}
        onConfirm={apply}
        busy={edit.isPending}
        error={edit.error ? errorWords(edit.error, { withRequest: true }) : null}
      >
        <p>
          Of <strong className="font-medium text-ink">{endpoint.name}</strong>, from the next request on.
        </p>
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1">
          <dt className="text-ink-3">Now</dt>
          <dd>{current ? before(current) : "…"}</dd>
          <dt className="text-ink-3">Then</dt>
          <dd className="text-ink">{after}</dd>
        </dl>
      </ConfirmDialog>
    </>
  );
}

function editOf(action: Setting) {
  switch (action.kind) {
    case "set_rate_limit":
      return { rate_limit: { ...action.rate_limit, burst: burstOf(action.rate_limit.amount) } };
    case "set_retry":
      return { retry: action.retry };
    case "set_timeout":
      return { timeout_ms: action.timeout_ms };
  }
}

/** A tenth, as the API would choose: what goes at once after a pause is what their server minds first. */
function burstOf(amount: number): number {
  return Math.max(1, Math.floor(amount / 10));
}

function wordsOf(action: Setting): Words {
  switch (action.kind) {
    case "set_rate_limit": {
      const { amount, per } = action.rate_limit;
      return {
        label: `Limit to ${amount} per ${per}`,
        title: "The rate limit",
        before: ({ rate_limit }) => rateWords(rate_limit),
        after: rateWords({ amount, per, burst: burstOf(amount) }),
      };
    }
    case "set_retry":
      return {
        label: `Try ${action.retry.max_attempts} times`,
        title: "The retry policy",
        before: ({ retry }) => retryWords(retry),
        after: retryWords(action.retry),
      };
    case "set_timeout": {
      const after = formatSpan(action.timeout_ms);
      return {
        label: `Time out after ${after}`,
        title: "The timeout",
        before: ({ timeout_ms }) => formatSpan(timeout_ms),
        after,
      };
    }
  }
}
