"use client";

import { type MutationOptions, useMutation } from "@tanstack/react-query";
import { Eye, EyeOff } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useRefusal } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { Field, Input } from "#components/ui/field.tsx";
import { Dialog } from "#components/ui/lazy-dialog.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { maxReasonLength, minReasonLength } from "#lib/redaction/limits.ts";

type Reveal<T> = MutationOptions<T, Error, { id: string; reason: string }>;
type Props<T> = {
  id: string;
  /** Whether this page's record came with values masked. */
  masked: boolean;
  isRevealed: boolean;
  options: Reveal<T>;
  /** The whole record, to be kept by the page and by nothing that outlives it; null hides it again. */
  onRevealed: (record: T | null) => void;
};

/** Says that values are masked, and shows them once somebody has said why they need them. */
export function RevealBar<T>({ id, masked, isRevealed, options, onRevealed }: Props<T>) {
  const [open, setOpen] = useState(false);
  const refusal = useRefusal("delivery.reveal");
  if (!masked) return null;
  return (
    <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 text-ink-2">
      <p role="status">
        {isRevealed
          ? "Sensitive values are shown until you leave this page."
          : "Sensitive values are masked on this page."}
      </p>
      {isRevealed ? (
        <Button onClick={() => onRevealed(null)}>
          <EyeOff aria-hidden />
          Hide
        </Button>
      ) : (
        <Button disabledReason={refusal} onClick={() => setOpen(true)}>
          <Eye aria-hidden />
          Reveal
        </Button>
      )}
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title="Reveal the sensitive values"
        description="That you looked, and why, is recorded. Do not write a value into the reason."
      >
        <ReasonForm
          id={id}
          options={options}
          onRevealed={(record) => {
            setOpen(false);
            onRevealed(record);
          }}
        />
      </Dialog>
    </div>
  );
}

function ReasonForm<T>({ id, options, onRevealed }: Pick<Props<T>, "id" | "options" | "onRevealed">) {
  const [reason, setReason] = useState("");
  const reveal = useMutation(options);
  const isTooShort = reason.trim().length < minReasonLength;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isTooShort || reveal.isPending) return;
    reveal.mutate({ id, reason: reason.trim() }, { onSuccess: onRevealed });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field
        label="Reason"
        error={reveal.error ? errorWords(reveal.error, { withRequest: true }) : undefined}
      >
        {(ids) => (
          <Input
            {...ids}
            value={reason}
            maxLength={maxReasonLength}
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
          disabledReason={isTooShort ? "Say why first." : null}
        >
          Reveal
        </Button>
      </div>
    </form>
  );
}
