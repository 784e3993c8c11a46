"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useRefusal } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { Field, Textarea } from "#components/ui/field.tsx";
import { ConfirmDialog } from "#components/ui/lazy-dialog.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { approveChangeOptions, refuseChangeOptions } from "#lib/endpoint-changes/client.ts";
import type { QueuedChange } from "#lib/endpoint-changes/schema.ts";

const minReasonLength = 3;

/** Approve a change, or refuse it with a reason that the affiliate reads. */
export function DecideActions({ change }: { change: QueuedChange }) {
  return (
    <span className="flex gap-1">
      <Approve change={change} />
      <Refuse change={change} />
    </span>
  );
}

function Approve({ change }: { change: QueuedChange }) {
  const [open, setOpen] = useState(false);
  const refusal = useRefusal("endpoint.approve_change");
  const approve = useMutation({
    ...approveChangeOptions,
    // Not where it is called: by then the list may have been read without this row, and this been unmounted.
    onSuccess: () => {
      setOpen(false);
      toastDone(`${change.endpoint.name} sends to its new host.`);
    },
  });
  return (
    <>
      <Button
        aria-label={`Approve the change of ${change.endpoint.name}`}
        className="-my-1 h-7 px-2"
        disabledReason={refusal}
        onClick={() => {
          approve.reset();
          setOpen(true);
        }}
      >
        Approve
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        title={`Send ${change.endpoint.name} to its new host?`}
        confirmLabel="Approve"
        onConfirm={() => approve.mutate(change.id)}
        busy={approve.isPending}
        error={approve.error ? errorWords(approve.error, { withRequest: true }) : null}
      >
        <Urls change={change} />
        <p>
          Events of {change.affiliate.name} go to the new host from the next attempt on. Whatever else the
          edit changes is changed with it.
        </p>
      </ConfirmDialog>
    </>
  );
}

function Refuse({ change }: { change: QueuedChange }) {
  const [open, setOpen] = useState(false);
  const [reason, setReason] = useState("");
  const refusal = useRefusal("endpoint.approve_change");
  const refuse = useMutation({
    ...refuseChangeOptions,
    onSuccess: () => {
      setOpen(false);
      toastDone("The change was refused.");
    },
  });
  const text = reason.trim();
  return (
    <>
      <Button
        tone="quiet"
        aria-label={`Refuse the change of ${change.endpoint.name}`}
        className="-my-1 h-7 px-2"
        disabledReason={refusal}
        onClick={() => {
          refuse.reset();
          setReason("");
          setOpen(true);
        }}
      >
        Refuse
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        title={`Refuse the change of ${change.endpoint.name}?`}
        confirmLabel="Refuse"
        onConfirm={() => {
          if (text.length >= minReasonLength) refuse.mutate({ id: change.id, reason: text });
        }}
        confirmDisabledReason={text.length < minReasonLength ? "Give a reason first." : null}
        busy={refuse.isPending}
        danger
        error={refuse.error ? errorWords(refuse.error, { withRequest: true }) : null}
        fields={
          <Field label="Reason" hint="The affiliate reads it.">
            {(ids) => (
              <Textarea
                {...ids}
                rows={3}
                maxLength={500}
                value={reason}
                onChange={(event) => setReason(event.target.value)}
              />
            )}
          </Field>
        }
      >
        <Urls change={change} />
        <p>The endpoint goes on as it is.</p>
      </ConfirmDialog>
    </>
  );
}

function Urls({ change: { from_url, to_url } }: { change: QueuedChange }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1">
      <dt className="text-ink-3">From</dt>
      <dd className="wrap-anywhere font-mono text-xs">{from_url}</dd>
      <dt className="text-ink-3">To</dt>
      <dd className="wrap-anywhere font-mono text-ink text-xs">{to_url}</dd>
    </dl>
  );
}
