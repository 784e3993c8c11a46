"use client";

import { lazy, type ReactNode } from "react";
import { Dialog } from "#components/ui/lazy-dialog.tsx";
import type { RequeueDetail, RequeueFilterInput } from "#lib/requeues/schema.ts";
import type { RequeueMode, RequeueOperation } from "#lib/vocabulary.ts";

const RequeueForm = lazy(async () => ({ default: (await import("./requeue-form.tsx")).RequeueForm }));

export type RequeueDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Putting back unless said otherwise. */
  operation?: RequeueOperation;
  /** Which deliveries: `{ ids }`, or a filter as the API takes it; `{}` for every dead letter. */
  filter: RequeueFilterInput;
  title?: string;
  /** What they are, in the words of the page that asks. */
  description?: ReactNode;
  /** Choices that change the filter, above what it finds. */
  fields?: ReactNode;
  /** What is sent to begin with; what every attempt has sent until now unless said otherwise. */
  suggestedMode?: RequeueMode;
  /** A sensible rate to begin with, per second. */
  suggestedRate?: number;
  /** What is most likely the reason. */
  suggestedReason?: string;
  /** Once it was made; the dialog has closed and a toast leads to it. */
  onCreated?: (requeue: RequeueDetail) => void;
};

const titles = {
  requeue: "Requeue these deliveries?",
  discard: "Discard these deliveries?",
} satisfies Record<RequeueOperation, string>;

/**
 * Asks before many deliveries are put back or discarded: counts them exactly, by endpoint and with what would be
 * refused, asks for rate, mode and reason, and starts a requeue.
 */
export function RequeueDialog({
  open,
  onOpenChange,
  title,
  description,
  fields,
  ...form
}: RequeueDialogProps) {
  const operation = form.operation ?? "requeue";
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={title ?? titles[operation]}
      description={description}
      className="w-[min(38rem,calc(100vw-2rem))]"
    >
      {fields}
      <RequeueForm {...form} operation={operation} onClose={() => onOpenChange(false)} />
    </Dialog>
  );
}
