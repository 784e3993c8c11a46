"use client";

import { useClockText } from "#components/layout/clock.tsx";
import type { Delivery } from "#lib/deliveries/schema.ts";
import { deliveryNext } from "#lib/deliveries/words.ts";

/** What the delivery waits for, or how it ended; counts down by itself. */
export function DeliveryNext({ delivery, className }: { delivery: Delivery; className?: string }) {
  const text = useClockText((nowMs) => deliveryNext(delivery, nowMs));
  return <span className={className}>{text}</span>;
}
