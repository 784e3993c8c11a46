"use client";

import { useMutation } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { useState } from "react";
import { shortcuts, useShortcut } from "#components/layout/shortcuts.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/lazy-dialog.tsx";
import { toastDone, toastFailed } from "#components/ui/toast.tsx";
import { ApiError, errorWords } from "#lib/api/fetcher.ts";
import { resendDeliveryOptions } from "#lib/deliveries/client.ts";
import type { DeliveryDetail } from "#lib/deliveries/schema.ts";

/** Puts the delivery back; where its ordering key has moved on, asks first. */
export function ResendButton({ delivery }: { delivery: DeliveryDetail }) {
  const [asking, setAsking] = useState(false);
  const resend = useMutation(resendDeliveryOptions);
  const refusal = delivery.superseded ? null : delivery.resend_refusal;
  const ask = () => {
    resend.reset();
    setAsking(true);
  };
  const send = (force: boolean) =>
    resend.mutate(
      { id: delivery.id, force },
      {
        onSuccess: () => {
          setAsking(false);
          toastDone("Put back to be sent.", {
            href: `/deliveries/${delivery.id}`,
            label: `Delivery ${delivery.id}`,
          });
        },
        onError: (error) => {
          if (force) return;
          // The key moved on since the page was read.
          if (error instanceof ApiError && error.code === "superseded") ask();
          else toastFailed("It was not resent", error);
        },
      },
    );
  const press = () => {
    if (resend.isPending || refusal !== null) return;
    if (delivery.superseded) ask();
    else send(false);
  };
  useShortcut("resend", press);
  return (
    <>
      <Button
        tone="primary"
        busy={resend.isPending && !asking}
        disabledReason={refusal}
        onClick={press}
        title={`Resend (${shortcuts.resend.keys})`}
      >
        {resend.isPending && !asking ? null : <RotateCw aria-hidden />}
        {delivery.superseded ? "Resend anyway" : "Resend"}
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Resend it out of order?"
        confirmLabel="Resend anyway"
        onConfirm={() => send(true)}
        busy={resend.isPending}
        danger
        error={resend.error ? errorWords(resend.error, { withRequest: true }) : null}
      >
        <p>A later delivery with the same ordering key has been sent or tried already.</p>
        <p>
          Their server would see this older event after the newer one, and may put an outdated state back in
          place. Later deliveries of the key that still wait go out after it.
        </p>
      </ConfirmDialog>
    </>
  );
}
