"use client";

import { useMutation } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { shortcuts, useShortcut } from "#components/layout/shortcuts.tsx";
import { Button } from "#components/ui/button.tsx";
import { toastDone, toastFailed } from "#components/ui/toast.tsx";
import { resendDeliveryOptions } from "#lib/deliveries/client.ts";
import type { DeliveryDetail } from "#lib/deliveries/schema.ts";

export function ResendButton({ delivery }: { delivery: DeliveryDetail }) {
  const resend = useMutation(resendDeliveryOptions);
  const press = () => {
    if (resend.isPending || delivery.resend_refusal !== null) return;
    resend.mutate(delivery.id, {
      onSuccess: () =>
        toastDone("Put back to be sent.", {
          href: `/deliveries/${delivery.id}`,
          label: `Delivery ${delivery.id}`,
        }),
      onError: (error) => toastFailed("It was not resent", error),
    });
  };
  useShortcut("resend", press);
  return (
    <Button
      tone="primary"
      busy={resend.isPending}
      disabledReason={delivery.resend_refusal}
      onClick={press}
      title={`Resend (${shortcuts.resend.keys})`}
    >
      {resend.isPending ? null : <RotateCw aria-hidden />}
      Resend
    </Button>
  );
}
