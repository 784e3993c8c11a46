"use client";

import { useMutation } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { useClockText } from "#components/layout/clock.tsx";
import { useTimeZone } from "#components/layout/preferences.ts";
import { useRefusal } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { Field, Select } from "#components/ui/field.tsx";
import { ConfirmDialog } from "#components/ui/lazy-dialog.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { rotateSecretOptions } from "#lib/endpoint-secrets/client.ts";
import { formatUpcoming } from "#lib/format.ts";

const overlaps = [
  { hours: 0, label: "Not at all: it ends at once" },
  { hours: 1, label: "1 hour" },
  { hours: 12, label: "12 hours" },
  { hours: 24, label: "1 day" },
  { hours: 48, label: "2 days" },
  { hours: 72, label: "3 days" },
  { hours: 168, label: "7 days" },
];

type Props = {
  endpointId: string;
  /** Whether it signs URLs, which have room for the newest one's signature alone: nothing is signed with the one before. */
  signsUrl: boolean;
  onSecret: (secret: string) => void;
};

/** A new secret, and for how long the one before goes on signing beside it. */
export function RotateSecret({ endpointId, signsUrl, onSecret }: Props) {
  const [open, setOpen] = useState(false);
  const [chosen, setHours] = useState(24);
  const hours = signsUrl ? 0 : chosen;
  const rotate = useMutation(rotateSecretOptions);
  const refusal = useRefusal("endpoint.rotate_secret");
  const timeZone = useTimeZone();
  const end = useClockText((nowMs) =>
    formatUpcoming(new Date(nowMs + hours * 3_600_000).toISOString(), nowMs, timeZone),
  );
  const confirm = () =>
    rotate.mutate(
      { id: endpointId, overlapHours: hours },
      {
        onSuccess: ({ secret }) => {
          setOpen(false);
          rotate.reset();
          onSecret(secret);
        },
      },
    );
  return (
    <>
      <Button
        disabledReason={refusal}
        onClick={() => {
          setHours(24);
          rotate.reset();
          setOpen(true);
        }}
      >
        <RefreshCw aria-hidden />
        Rotate
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        title="Rotate the signing secret?"
        confirmLabel="Rotate"
        onConfirm={confirm}
        busy={rotate.isPending}
        danger={hours === 0}
        error={rotate.error ? errorWords(rotate.error, { withRequest: true }) : null}
        fields={
          signsUrl ? null : (
            <Field label="The current secret goes on signing for">
              {(ids) => (
                <Select {...ids} value={hours} onChange={(event) => setHours(Number(event.target.value))}>
                  {overlaps.map((overlap) => (
                    <option key={overlap.hours} value={overlap.hours}>
                      {overlap.label}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
          )
        }
      >
        <p>A new secret is made, shown this once, and signs from the next request on.</p>
        <p>
          {hours === 0
            ? "The current one stops at once: until the receiver has the new one, it will refuse what we send."
            : `The current one signs beside it until ${end}, so that the receiver can change over.`}
        </p>
        {signsUrl ? (
          <p>
            So that nothing is refused, pause the endpoint first, and resume it when the receiver has the new
            secret: what comes meanwhile is kept.
          </p>
        ) : null}
      </ConfirmDialog>
    </>
  );
}
