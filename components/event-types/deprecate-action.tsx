"use client";

import { useMutation } from "@tanstack/react-query";
import { Archive, ArchiveRestore } from "lucide-react";
import { useState } from "react";
import { useRefusal } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/lazy-dialog.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { editEventTypeOptions } from "#lib/event-types/client.ts";
import type { EventType } from "#lib/event-types/schema.ts";

/** Deprecates a type, or takes that back. */
export function DeprecateAction({ type }: { type: EventType }) {
  const [open, setOpen] = useState(false);
  const edit = useMutation(editEventTypeOptions);
  const deprecated = type.deprecated_at !== null;
  const refusal = useRefusal("event_type.edit");
  const confirm = () =>
    edit.mutate(
      { name: type.name, edit: { deprecated: !deprecated } },
      {
        onSuccess: () => {
          setOpen(false);
          toastDone(deprecated ? "No longer deprecated." : "Deprecated.", {
            href: `/event-types/${encodeURIComponent(type.name)}`,
            label: type.name,
          });
        },
      },
    );
  return (
    <>
      <Button
        tone="quiet"
        disabledReason={refusal}
        onClick={() => {
          edit.reset();
          setOpen(true);
        }}
      >
        {deprecated ? <ArchiveRestore aria-hidden /> : <Archive aria-hidden />}
        {deprecated ? "Take back into use" : "Deprecate"}
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        title={deprecated ? `Take ${type.name} back into use?` : `Deprecate ${type.name}?`}
        confirmLabel={deprecated ? "Take back into use" : "Deprecate"}
        onConfirm={confirm}
        busy={edit.isPending}
        error={edit.error ? errorWords(edit.error, { withRequest: true }) : null}
      >
        <p>
          {deprecated
            ? "Whoever publishes events of this type is no longer warned."
            : "Events of this type are still accepted and sent; whoever publishes them is warned in the answer."}
        </p>
      </ConfirmDialog>
    </>
  );
}
