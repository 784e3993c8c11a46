"use client";

import { useMutation } from "@tanstack/react-query";
import { RotateCw, WandSparkles } from "lucide-react";
import { useState } from "react";
import { useClockText } from "#components/layout/clock.tsx";
import { useIsAffiliate, usePlace, useRefusal } from "#components/layout/reader.tsx";
import { shortcuts, useShortcut } from "#components/layout/shortcuts.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/lazy-dialog.tsx";
import { toastDone, toastFailed } from "#components/ui/toast.tsx";
import { ApiError, errorWords } from "#lib/api/fetcher.ts";
import { resendDeliveryOptions } from "#lib/deliveries/client.ts";
import type { DeliveryDetail, ResendAllowance } from "#lib/deliveries/schema.ts";
import { formatRelative } from "#lib/format.ts";

/** A webhook goes again as it was. For a postback somebody chooses: the same URL, or the template as it is now. */
export function ResendActions({ delivery }: { delivery: DeliveryDetail }) {
  const noRight = useRefusal("delivery.resend", { affiliateId: delivery.affiliate.id });
  const usedUp = useClockText((nowMs) => usedUpWords(delivery.resends, nowMs));
  const mayNot = noRight ?? (usedUp || null);
  const superseded = delivery.superseded && mayNot === null;
  const resend_refusal = mayNot ?? delivery.resend_refusal;
  const render_refusal = mayNot ?? delivery.render_refusal;
  if (delivery.endpoint.kind === "webhook") {
    return <SameRequest delivery={delivery} label="Resend" {...gate(resend_refusal, superseded)} />;
  }
  // Nothing was ever rendered for it, so that only rendering can be what its key's later deliveries stand against.
  const hasRequest = delivery.request !== null && delivery.state !== "skipped";
  const sameSuperseded = superseded && hasRequest;
  const againSuperseded = superseded && (!hasRequest || render_refusal === resend_refusal);
  return (
    <>
      <SameRequest delivery={delivery} label="Resend same URL" {...gate(resend_refusal, sameSuperseded)} />
      <RenderedAgain delivery={delivery} {...gate(render_refusal, againSuperseded)} />
    </>
  );
}

/** Why nothing more can be resent for now; empty where it can. */
function usedUpWords(resends: ResendAllowance | null, nowMs: number): string {
  if (resends === null || resends.left > 0) return "";
  const next = resends.next_at === null ? "soon" : formatRelative(resends.next_at, nowMs);
  return `All ${resends.limit} resends of this hour are used; the next is possible ${next}.`;
}

/** Said once somebody has begun to use them up. */
export function ResendsLeft({ delivery: { resends } }: { delivery: DeliveryDetail }) {
  if (resends === null || resends.left === 0) return null;
  return (
    <p className="w-0 min-w-full text-right text-ink-3 text-xs max-sm:text-left">
      {resends.left} of {resends.limit} resends left this hour
    </p>
  );
}

/** Why it cannot go; null where it can, if need be out of its order. */
type Gate = { refusal: string | null; isSuperseded: boolean };

function gate(refusal: string | null, isSuperseded: boolean): Gate {
  return { refusal: isSuperseded ? null : refusal, isSuperseded };
}

type ActionProps = Gate & { delivery: DeliveryDetail };

function SameRequest({ label, ...action }: ActionProps & { label: string }) {
  const resend = useResend(action, false);
  useShortcut("resend", resend.press);
  return (
    <>
      <Button
        tone="primary"
        busy={resend.isBusy}
        disabledReason={action.refusal}
        onClick={resend.press}
        title={`${label} (${shortcuts.resend.keys})`}
      >
        {resend.isBusy ? null : <RotateCw aria-hidden />}
        {action.isSuperseded ? `${label} anyway` : label}
      </Button>
      <OutOfOrderDialog resend={resend} />
    </>
  );
}

function RenderedAgain(action: ActionProps) {
  const resend = useResend(action, true);
  return (
    <>
      <Button
        busy={resend.isBusy}
        disabledReason={action.refusal}
        onClick={resend.press}
        title="With the endpoint's template as it is now"
      >
        {resend.isBusy ? null : <WandSparkles aria-hidden />}
        {action.isSuperseded ? "Render again anyway" : "Render again"}
      </Button>
      <OutOfOrderDialog resend={resend} />
    </>
  );
}

/** Puts the delivery back; where its ordering key has moved on, asks first. */
function useResend({ delivery, refusal, isSuperseded }: ActionProps, renderAgain: boolean) {
  const place = usePlace();
  const [asking, setAsking] = useState(false);
  const resend = useMutation(resendDeliveryOptions);
  const ask = () => {
    resend.reset();
    setAsking(true);
  };
  const send = (force: boolean) =>
    resend.mutate(
      { id: delivery.id, force, render_again: renderAgain },
      {
        onSuccess: () => {
          setAsking(false);
          toastDone(renderAgain ? "Rendered again and put back to be sent." : "Put back to be sent.", {
            href: place(`/deliveries/${delivery.id}`),
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
    if (isSuperseded) ask();
    else send(false);
  };
  const { isPending, error } = resend;
  return {
    press,
    asking,
    setAsking,
    isBusy: isPending && !asking,
    isPending,
    error,
    force: () => send(true),
  };
}

function OutOfOrderDialog({ resend }: { resend: ReturnType<typeof useResend> }) {
  return (
    <ConfirmDialog
      open={resend.asking}
      onOpenChange={resend.setAsking}
      title="Resend it out of order?"
      confirmLabel="Resend anyway"
      onConfirm={resend.force}
      busy={resend.isPending}
      danger
      error={resend.error ? errorWords(resend.error, { withRequest: true }) : null}
    >
      <p>A later delivery with the same ordering key has been sent or tried already.</p>
      <p>
        {useIsAffiliate() ? "Your" : "Their"} server would see this older event after the newer one, and may
        put an outdated state back in place. Later deliveries of the key that still wait go out after it.
      </p>
    </ConfirmDialog>
  );
}
