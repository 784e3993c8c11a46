"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useClockText } from "#components/layout/clock.tsx";
import { useRefusal } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/lazy-dialog.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { revokeApiKeyOptions } from "#lib/api-keys/client.ts";
import type { ApiKey } from "#lib/api-keys/schema.ts";
import { formatRelative } from "#lib/format.ts";

export function RevokeAction({ apiKey }: { apiKey: ApiKey }) {
  const [open, setOpen] = useState(false);
  const refusal = useRefusal("api_key.revoke");
  const revoke = useMutation({
    ...revokeApiKeyOptions,
    // Not where it is called: by then the list may have been read without this action, and this been unmounted.
    onSuccess: () => {
      setOpen(false);
      toastDone(`${apiKey.name} was revoked.`);
    },
  });
  const { last_used_at } = apiKey;
  const used = useClockText((nowMs) =>
    last_used_at === null
      ? "It has never been used."
      : `It was last used ${formatRelative(last_used_at, nowMs)}.`,
  );
  return (
    <>
      <Button
        tone="quiet"
        aria-label={`Revoke ${apiKey.name}`}
        className="-my-1 h-7 px-2"
        disabledReason={refusal}
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
        title={`Revoke ${apiKey.name}?`}
        confirmLabel="Revoke the key"
        onConfirm={() => revoke.mutate(apiKey.id)}
        busy={revoke.isPending}
        danger
        error={revoke.error ? errorWords(revoke.error, { withRequest: true }) : null}
      >
        <p>
          Whatever calls with it is refused from its next request on, until it is given another key. {used}
        </p>
        <p>This cannot be undone.</p>
      </ConfirmDialog>
    </>
  );
}
