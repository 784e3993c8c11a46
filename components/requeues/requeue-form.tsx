"use client";

import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { v4 as uuidV4 } from "uuid";
import { Button } from "#components/ui/button.tsx";
import { Field, FormProblem, Input, Radio } from "#components/ui/field.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import { ApiError, errorWords } from "#lib/api/fetcher.ts";
import { formatCount } from "#lib/format.ts";
import { createRequeueOptions, requeuePreviewOptions } from "#lib/requeues/client.ts";
import type { RequeuePreview } from "#lib/requeues/schema.ts";
import { deliveriesWords, typedCountAbove } from "#lib/requeues/words.ts";
import { type RequeueMode, type RequeueOperation, requeueModeLabels, requeueModes } from "#lib/vocabulary.ts";
import { PreviewView } from "./preview-view.tsx";
import type { RequeueDialogProps } from "./requeue-dialog.tsx";

type FormProps = Pick<
  RequeueDialogProps,
  "filter" | "suggestedMode" | "suggestedRate" | "suggestedReason" | "onCreated"
> & {
  operation: RequeueOperation;
  onClose: () => void;
};

const modeHints = {
  same_url: "What every attempt has sent until now.",
  render_again: "Postbacks by their endpoint's template as it is now. Webhooks are the same either way.",
} satisfies Record<RequeueMode, string>;

export function RequeueForm({ operation, filter, onClose, onCreated, ...suggested }: FormProps) {
  const [mode, setMode] = useState<RequeueMode>(suggested.suggestedMode ?? "same_url");
  const [rate, setRate] = useState(suggested.suggestedRate?.toString() ?? "");
  const [reason, setReason] = useState(suggested.suggestedReason ?? "");
  const [typed, setTyped] = useState("");
  const [faults, setFaults] = useState<Record<string, string>>({});
  // Of what is meant once: repeated with the same one, a call whose answer was lost makes nothing new.
  const [requestId, setRequestId] = useState(() => uuidV4());
  const query = useQuery({
    ...requeuePreviewOptions({ operation, filter, mode }),
    placeholderData: keepPreviousData,
  });
  const preview = query.isPlaceholderData ? undefined : query.data;
  const create = useMutation({
    ...createRequeueOptions,
    onSuccess: (requeue) => {
      onClose();
      const verb = operation === "discard" ? "being discarded" : "being put back";
      toastDone(`${deliveriesWords(requeue.total)} ${requeue.total === 1 ? "is" : "are"} ${verb}.`, {
        href: `/requeues/${requeue.id}`,
        label: "Watch it",
      });
      onCreated?.(requeue);
    },
    onError: (error) => {
      if (!(error instanceof ApiError) || error.status === 0) return;
      setRequestId(uuidV4());
      setFaults(Object.fromEntries(error.fieldErrors.map(({ field, message }) => [field, message])));
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (create.isPending || !preview) return;
    const found = checkInput({ rate, reason, typed, accepted: preview.accepted });
    setFaults(found);
    if (Object.keys(found).length > 0) return;
    create.mutate({
      operation,
      mode,
      filter,
      reason,
      as_of: preview.as_of,
      request_id: requestId,
      ...(rate.trim() === "" || operation === "discard" ? {} : { rate_per_second: Number(rate) }),
    });
  };
  const known = ["rate_per_second", "reason"];
  const isAside =
    create.error instanceof ApiError && create.error.fieldErrors.some(({ field }) => known.includes(field));
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <PreviewView
        preview={query.data}
        error={query.error}
        busy={query.isFetching}
        operation={operation}
        onRetry={() => void query.refetch()}
      />
      {operation === "requeue" ? (
        <fieldset className="flex flex-col gap-1.5">
          <legend className="mb-1 font-medium text-sm">What is sent</legend>
          {requeueModes.map((choice) => (
            <Radio
              key={choice}
              name="mode"
              checked={mode === choice}
              onChange={() => setMode(choice)}
              hint={modeHints[choice]}
            >
              {requeueModeLabels[choice]}
            </Radio>
          ))}
        </fieldset>
      ) : null}
      {operation === "requeue" ? (
        <Field
          label="Rate per second"
          hint="How many are put back in a second. Left empty: as fast as it goes, within each endpoint's own limits."
          error={faults.rate_per_second}
        >
          {(ids) => (
            <Input
              {...ids}
              inputMode="decimal"
              autoComplete="off"
              className="max-w-32"
              value={rate}
              onChange={(event) => setRate(event.target.value)}
            />
          )}
        </Field>
      ) : null}
      <Field
        label="Reason"
        hint="For those who look at it later, and for the audit log."
        error={faults.reason}
      >
        {(ids) => (
          <Input
            {...ids}
            autoComplete="off"
            maxLength={500}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
      {preview && preview.accepted > typedCountAbove ? (
        <Field label={`Type ${formatCount(preview.accepted)} to confirm`} error={faults.typed}>
          {(ids) => (
            <Input
              {...ids}
              inputMode="numeric"
              autoComplete="off"
              className="max-w-32"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
      ) : null}
      {create.error && !isAside ? (
        <FormProblem message={errorWords(create.error, { withRequest: true })} />
      ) : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          tone={operation === "discard" ? "danger" : "primary"}
          busy={create.isPending}
          disabledReason={refusalOf(preview, { isCounting: query.isFetching })}
        >
          {confirmLabel(operation, preview)}
        </Button>
      </div>
    </form>
  );
}

function confirmLabel(operation: RequeueOperation, preview: RequeuePreview | undefined): string {
  const verb = operation === "discard" ? "Discard" : "Requeue";
  return preview && preview.accepted > 0 ? `${verb} ${formatCount(preview.accepted)}` : verb;
}

/** Why it cannot be started; null when it can. */
function refusalOf(
  preview: RequeuePreview | undefined,
  { isCounting }: { isCounting: boolean },
): string | null {
  if (!preview) return isCounting ? "Counting." : "Nothing is known about them yet.";
  if (preview.total === 0) return "Nothing matches.";
  if (preview.accepted === 0) return "All would be left as they are.";
  return preview.overlaps.length > 0 ? "Another requeue has to end first." : null;
}

function checkInput(given: {
  rate: string;
  reason: string;
  typed: string;
  accepted: number;
}): Record<string, string> {
  const faults: Record<string, string> = {};
  const rate = given.rate.trim() === "" ? 1 : Number(given.rate);
  if (!(rate >= 0.01 && rate <= 10_000))
    faults.rate_per_second = "Give a number from 0.01 to 10,000, or nothing.";
  if (given.reason.trim() === "") faults.reason = "Say why.";
  const isTyped = given.typed.replaceAll(/[,.\s]/g, "") === String(given.accepted);
  if (given.accepted > typedCountAbove && !isTyped) faults.typed = "Type the number as it stands here.";
  return faults;
}
