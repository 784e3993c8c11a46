"use client";

import { useMutation } from "@tanstack/react-query";
import { Eye } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useRefusal } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { Field, Input } from "#components/ui/field.tsx";
import { Dialog } from "#components/ui/lazy-dialog.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { revealSecretOptions } from "#lib/endpoint-secrets/client.ts";

type Props = { endpointId: string; onSecret: (secret: string) => void };

/** The secret stays hidden until somebody says why they need it. */
export function RevealSecret({ endpointId, onSecret }: Props) {
  const [open, setOpen] = useState(false);
  const [reason, setReason] = useState("");
  const refusal = useRefusal("endpoint.reveal_secret");
  const reveal = useMutation(revealSecretOptions);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason.trim() === "" || reveal.isPending) return;
    reveal.mutate(
      { id: endpointId, reason: reason.trim() },
      {
        onSuccess: ({ secret }) => {
          setOpen(false);
          reveal.reset();
          onSecret(secret);
        },
      },
    );
  };
  return (
    <>
      <Button
        disabledReason={refusal}
        onClick={() => {
          setReason("");
          reveal.reset();
          setOpen(true);
        }}
      >
        <Eye aria-hidden />
        Reveal
      </Button>
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
    </>
  );
}
