"use client";

import { useMutation } from "@tanstack/react-query";
import { Eye } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useIsAffiliate, useRefusal } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { Field, Input } from "#components/ui/field.tsx";
import { Dialog } from "#components/ui/lazy-dialog.tsx";
import { maxPasswordLength } from "#lib/accounts/password.ts";
import { ApiError, errorWords } from "#lib/api/fetcher.ts";
import { revealSecretOptions } from "#lib/endpoint-secrets/client.ts";

type Props = { endpointId: string; onSecret: (secret: string) => void };

/** The secret stays hidden until staff say why they need it, or its owner gives their password once more. */
export function RevealSecret({ endpointId, onSecret }: Props) {
  const [open, setOpen] = useState(false);
  const isOwner = useIsAffiliate();
  const [given, setGiven] = useState("");
  const refusal = useRefusal("endpoint.reveal_secret");
  const reveal = useMutation(revealSecretOptions);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (given.trim() === "" || reveal.isPending) return;
    reveal.mutate(
      { id: endpointId, ...(isOwner ? { password: given } : { reason: given.trim() }) },
      {
        onSuccess: ({ secret }) => {
          setOpen(false);
          setGiven("");
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
          setGiven("");
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
        description={
          isOwner
            ? "Whoever has it can send your server requests that look like ours. That you looked is recorded."
            : "Whoever has it can sign requests in your name. That you looked, and why, is recorded."
        }
      >
        <form method="post" onSubmit={submit} className="flex flex-col gap-4">
          <Field
            label={isOwner ? "Your password" : "Reason"}
            error={reveal.error ? refusalWords(reveal.error) : undefined}
          >
            {(ids) => (
              <Input
                {...ids}
                type={isOwner ? "password" : "text"}
                value={given}
                maxLength={isOwner ? maxPasswordLength : 500}
                autoComplete={isOwner ? "current-password" : "off"}
                onChange={(event) => setGiven(event.target.value)}
              />
            )}
          </Field>
          <div className="flex justify-end">
            <Button
              type="submit"
              tone="primary"
              busy={reveal.isPending}
              disabledReason={
                given.trim() !== "" ? null : isOwner ? "Your password is needed." : "Say why first."
              }
            >
              Reveal
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}

function refusalWords(error: Error): string {
  const isWrong = error instanceof ApiError && error.fieldErrors.some(({ field }) => field === "password");
  return isWrong ? "That is not your password." : errorWords(error, { withRequest: true });
}
