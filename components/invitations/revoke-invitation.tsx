"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/lazy-dialog.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { revokeInvitationOptions } from "#lib/invitations/client.ts";
import type { Invitation } from "#lib/invitations/schema.ts";

export function RevokeInvitation({ invitation }: { invitation: Invitation }) {
  const [open, setOpen] = useState(false);
  const revoke = useMutation({
    ...revokeInvitationOptions,
    // Not where it is called: by then the list may have been read without this action, and this been unmounted.
    onSuccess: () => {
      setOpen(false);
      toastDone(`The invitation of ${invitation.email} was revoked.`);
    },
  });
  return (
    <>
      <Button
        tone="quiet"
        aria-label={`Revoke the invitation of ${invitation.email}`}
        className="-my-1 h-7 px-2"
        onClick={() => {
          revoke.reset();
          setOpen(true);
        }}
      >
        Revoke
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        title={`Revoke the invitation of ${invitation.email}?`}
        confirmLabel="Revoke the invitation"
        onConfirm={() => revoke.mutate(invitation.id)}
        busy={revoke.isPending}
        danger
        error={revoke.error ? errorWords(revoke.error, { withRequest: true }) : null}
      >
        <p>The link that was sent stops working. You can invite them again.</p>
      </ConfirmDialog>
    </>
  );
}
