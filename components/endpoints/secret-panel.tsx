"use client";

import { useMutation } from "@tanstack/react-query";
import { Eye, EyeOff } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Field, Input } from "#components/ui/field.tsx";
import { Dialog } from "#components/ui/lazy-dialog.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { revealSecretOptions } from "#lib/endpoints/client.ts";
import { SecretBox } from "./secret-box.tsx";

/** The secret stays hidden until somebody says why they need it. */
export function SecretPanel({ endpointId }: { endpointId: string }) {
  const [open, setOpen] = useState(false);
  const [reason, setReason] = useState("");
  const reveal = useMutation(revealSecretOptions);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason.trim() === "" || reveal.isPending) return;
    reveal.mutate({ id: endpointId, reason: reason.trim() }, { onSuccess: () => setOpen(false) });
  };
  return (
    <Panel title="Signing secret">
      {reveal.data ? (
        <div className="flex flex-col gap-3">
          <SecretBox secret={reveal.data.secret} />
          <Button className="self-start" onClick={() => reveal.reset()}>
            <EyeOff aria-hidden />
            Hide
          </Button>
        </div>
      ) : (
        <div className="flex flex-col gap-3">
          <p className="text-ink-2">
            Every request is signed with it (Standard Webhooks), so that the receiver can verify us.
          </p>
          <Button
            className="self-start"
            onClick={() => {
              setReason("");
              reveal.reset();
              setOpen(true);
            }}
          >
            <Eye aria-hidden />
            Reveal
          </Button>
        </div>
      )}
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title="Reveal the signing secret"
        description="Whoever has it can sign requests in your name. That you looked, and why, is recorded."
      >
        <form onSubmit={submit} className="flex flex-col gap-4">
          <Field
            label="Reason"
            error={reveal.error ? errorWords(reveal.error, { withRequest: true }) : undefined}
          >
            {(ids) => (
              <Input
                {...ids}
                value={reason}
                maxLength={500}
                autoComplete="off"
                onChange={(event) => setReason(event.target.value)}
              />
            )}
          </Field>
          <div className="flex justify-end">
            <Button
              type="submit"
              tone="primary"
              busy={reveal.isPending}
              disabledReason={reason.trim() === "" ? "Say why first." : null}
            >
              Reveal
            </Button>
          </div>
        </form>
      </Dialog>
    </Panel>
  );
}
