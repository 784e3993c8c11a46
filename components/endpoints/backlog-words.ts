import type { EndpointBacklog } from "#lib/endpoints/schema.ts";
import { formatCapped, formatNoun } from "#lib/format.ts";

/** A count that may have stopped early. */
export function backlogCount(count: number, backlog: EndpointBacklog): { count: number; capped: boolean } {
  return { count, capped: count >= backlog.counted_to };
}

/** `3 deliveries that wait and 2 that await a retry`; null when there are none. */
export function waitingWords(backlog: EndpointBacklog): string | null {
  const total = backlog.waiting + backlog.awaiting_retry;
  if (total === 0) return null;
  const capped = backlog.waiting >= backlog.counted_to || backlog.awaiting_retry >= backlog.counted_to;
  const words = capped
    ? `${formatCapped({ count: total, capped })} deliveries`
    : formatNoun(total, "delivery", "deliveries");
  const parts =
    backlog.awaiting_retry > 0 && backlog.waiting > 0
      ? ` (${formatNoun(backlog.awaiting_retry, "retry", "retries")} among them)`
      : "";
  return `${words}${parts}`;
}
