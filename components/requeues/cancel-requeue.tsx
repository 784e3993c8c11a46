"use client";

import { useMutation } from "@tanstack/react-query";
import { CircleSlash } from "lucide-react";
import { useState } from "react";
import { useRefusal } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/lazy-dialog.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { cancelRequeueOptions } from "#lib/requeues/client.ts";
import type { Requeue } from "#lib/requeues/schema.ts";
import { isUnderWay, progressWords } from "#lib/requeues/words.ts";

export function CancelRequeue({ requeue }: { requeue: Requeue }) {
  const [open, setOpen] = useState(false);
  const refusal = useRefusal("delivery.requeue");
  const cancel = useMutation({
    ...cancelRequeueOptions,
    // Not where it is called: by then the page may show no such button any more.
    onSuccess: () => {
      setOpen(false);
      toastDone("Cancelled.", { href: `/requeues/${requeue.id}`, label: "The requeue" });
    },
  });
  if (!isUnderWay(requeue) && !open) return null;
  return (
    <>
      <Button
        disabledReason={refusal}
        onClick={() => {
          cancel.reset();
          setOpen(true);
        }}
      >
        <CircleSlash aria-hidden />
        Cancel the rest
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        title="Cancel what is still to come?"
        confirmLabel="Cancel the rest"
        onConfirm={() => cancel.mutate(requeue.id)}
        busy={cancel.isPending}
        danger
        error={cancel.error ? errorWords(cancel.error, { withRequest: true }) : null}
      >
        <p>It has come to {progressWords(requeue)}. What was done stays done, and goes out.</p>
        <p>The rest stays as it is, and can be requeued again.</p>
      </ConfirmDialog>
    </>
  );
}
