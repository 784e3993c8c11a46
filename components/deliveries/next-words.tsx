"use client";

import { useClockText } from "#components/layout/clock.tsx";
import { useIsAffiliate } from "#components/layout/reader.tsx";
import type { Delivery } from "#lib/deliveries/schema.ts";
import { deliveryNext, type Holder } from "#lib/deliveries/words.ts";

/** What the delivery waits for, or how it ended; counts down by itself. */
export function DeliveryNext({ delivery, className }: { delivery: Delivery; className?: string }) {
  return <span className={className}>{useNextWords(delivery)}</span>;
}

/** The same as text; `holder` names who stopped the endpoint, where the page knows it. */
export function useNextWords(delivery: Delivery, holder?: Holder): string {
  const told = useIsAffiliate() ? "owner" : "staff";
  return useClockText((nowMs) => deliveryNext(delivery, nowMs, { holder, told }));
}
