"use client";

import { Trash2, Undo2 } from "lucide-react";
import { useState } from "react";
import { useRefusal } from "#components/layout/reader.tsx";
import { RequeueDialog, type RequeueDialogProps } from "#components/requeues/requeue-dialog.tsx";
import { Button } from "#components/ui/button.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";

type RequeueButtonProps = Omit<RequeueDialogProps, "open" | "onOpenChange"> & {
  label: string;
  /** As an icon, for a row of a table. */
  compact?: boolean;
  /** Why it cannot be done here, whoever asks. */
  refusal?: string | null;
};

/** Opens the dialog that puts many dead letters back, or discards them. */
export function RequeueButton({ label, compact = false, refusal, ...dialog }: RequeueButtonProps) {
  const [open, setOpen] = useState(false);
  const isDiscard = dialog.operation === "discard";
  const unallowed = useRefusal(isDiscard ? "delivery.discard" : "delivery.requeue");
  const disabledReason = unallowed ?? refusal ?? null;
  const Icon = isDiscard ? Trash2 : Undo2;
  return (
    <>
      {compact ? (
        <IconButton label={label} onClick={() => setOpen(true)} disabledReason={disabledReason}>
          <Icon aria-hidden />
        </IconButton>
      ) : (
        <Button onClick={() => setOpen(true)} disabledReason={disabledReason}>
          <Icon aria-hidden />
          {label}
        </Button>
      )}
      <RequeueDialog open={open} onOpenChange={setOpen} {...dialog} />
    </>
  );
}
