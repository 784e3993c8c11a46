"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useRefusal } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/lazy-dialog.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { revokeSecretOptions } from "#lib/endpoint-secrets/client.ts";

type Props = { endpointId: string; secretId: string; until: string };

/** Ends an old secret before its time. */
export function RevokeSecret({ endpointId, secretId, until }: Props) {
  const [open, setOpen] = useState(false);
  const refusal = useRefusal("endpoint.revoke_secret");
  const revoke = useMutation({
    ...revokeSecretOptions,
    // Not where it is called: by then the list may have been read without this secret, and this been unmounted.
    onSuccess: () => {
      setOpen(false);
      toastDone("The old secret was revoked.");
    },
  });
  return (
    <>
      <Button
        disabledReason={refusal}
        onClick={() => {
          revoke.reset();
          setOpen(true);
        }}
      >
        Revoke
        <span className="sr-only"> the old secret valid until {until}</span>
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        title="Revoke the old secret?"
        confirmLabel="Revoke at once"
        onConfirm={() => revoke.mutate({ id: endpointId, secretId })}
        busy={revoke.isPending}
        danger
        error={revoke.error ? errorWords(revoke.error, { withRequest: true }) : null}
      >
        <p>It stops signing now instead of {until}.</p>
        <p>A receiver that still verifies with it will refuse what we send. This cannot be undone.</p>
      </ConfirmDialog>
    </>
  );
}
