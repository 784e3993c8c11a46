"use client";

import { useMutation } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { usePlace, useRefusal } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/lazy-dialog.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { deleteEndpointOptions } from "#lib/endpoints/client.ts";
import type { EndpointDetail } from "#lib/endpoints/schema.ts";
import { waitingWords } from "./backlog-words.ts";

export function DeleteAction({ endpoint }: { endpoint: EndpointDetail }) {
  const router = useRouter();
  const place = usePlace();
  const [open, setOpen] = useState(false);
  const remove = useMutation(deleteEndpointOptions);
  const waiting = waitingWords(endpoint.backlog);
  const refusal = useRefusal("endpoint.delete");
  const confirm = () =>
    remove.mutate(endpoint.id, {
      onSuccess: () => {
        toastDone(`${endpoint.name} was deleted.`);
        router.push(place("/endpoints"));
      },
    });
  return (
    <>
      <Button
        tone="quiet"
        disabledReason={refusal}
        onClick={() => {
          remove.reset();
          setOpen(true);
        }}
      >
        <Trash2 aria-hidden />
        Delete
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        title={`Delete ${endpoint.name}?`}
        confirmLabel="Delete the endpoint"
        onConfirm={confirm}
        busy={remove.isPending}
        danger
        error={remove.error ? errorWords(remove.error, { withRequest: true }) : null}
      >
        <p>
          {waiting ? (
            <>
              <strong className="font-semibold text-ink">{waiting}</strong> will be discarded and never sent.
            </>
          ) : (
            "Nothing waits for it, so nothing is discarded."
          )}
        </p>
        <p>New events will not be sent to it. What was delivered stays visible. This cannot be undone.</p>
      </ConfirmDialog>
    </>
  );
}
