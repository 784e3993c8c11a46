import { formatCount, formatNoun } from "#lib/format.ts";
import {
  reasonSentences,
  requeueRefusalSentences,
  requeueSourceLabels,
  statusClassLabels,
} from "#lib/vocabulary.ts";
import type { Requeue, RequeueHold, RequeuePreview } from "./schema.ts";

/** Above this, whoever starts it types the number. */
export const typedCountAbove = 1_000;

type Progress = Pick<Requeue, "total" | "done" | "refused" | "failed">;

/** `1 delivery`, `4,212 deliveries`. */
export function deliveriesWords(count: number): string {
  return formatNoun(count, "delivery", "deliveries");
}

/** A worker has it still to begin, or to end. */
export function isUnderWay({ state }: Pick<Requeue, "state">): boolean {
  return state === "pending" || state === "running";
}

/** How many a requeue has dealt with, and of them how many it left as they were. */
export function progressOf({ done, refused, failed }: Progress): { seen: number; left: number } {
  const left = [...refused, ...failed].reduce((sum, { count }) => sum + count, 0);
  return { seen: done + left, left };
}

/** `12,000 of 50,000`, and what was left: `12,000 of 50,000 · 3 refused`. */
export function progressWords(requeue: Progress): string {
  const { seen, left } = progressOf(requeue);
  const words = `${formatCount(seen)} of ${formatCount(requeue.total)}`;
  return left > 0 ? `${words} · ${formatCount(left)} refused` : words;
}

/** What it takes, as an object: `dead letters`, `what failed or was held`. */
export function sourceWords({ ids, states = ["dead_letter"] }: Requeue["filter"]): string {
  if (ids) return "chosen deliveries";
  if (states.length === 1 && states[0] === "dead_letter") return "dead letters";
  if (states.length === requeueSourceCount) return "what failed or was held";
  return states.map((state) => requeueSourceLabels[state].toLowerCase()).join(" and ");
}
const requeueSourceCount = Object.keys(requeueSourceLabels).length;

/** What a filter narrows to, as names and values; times are left to whoever knows the zone. */
export function filterFacts(filter: Requeue["filter"]): { name: string; value: string }[] {
  const { ids, affiliate, event_type, reasons, status, status_class } = filter;
  return [
    { name: "Deliveries", value: ids && deliveriesWords(ids.length) },
    { name: "Affiliate", value: affiliate?.name },
    { name: "Event type", value: event_type },
    {
      name: reasons?.length === 1 ? "Reason" : "Reasons",
      value: reasons?.map((reason) => reasonSentences[reason]).join("; "),
    },
    { name: "Status", value: status && String(status) },
    { name: "Status", value: status_class && statusClassLabels[status_class] },
  ].filter((fact): fact is { name: string; value: string } => Boolean(fact.value));
}

/** What a dialog says first, in one sentence. */
export function previewSentence(
  {
    accepted,
    at_most,
    total,
    endpoint_count,
  }: Pick<RequeuePreview, "accepted" | "at_most" | "total" | "endpoint_count">,
  operation: Requeue["operation"],
): string {
  const verb = operation === "discard" ? "discarded for good" : "put back to be sent";
  const of = accepted === total ? "" : ` of ${formatCount(total)}`;
  const whom = endpoint_count === 1 ? "one endpoint" : formatNoun(endpoint_count, "endpoint");
  const count = `${at_most ? "Up to " : ""}${formatCount(accepted)}`;
  return `${count}${of} ${total === 1 ? "delivery" : "deliveries"} of ${whom} will be ${verb}.`;
}

/** Why what is put back for an endpoint waits there. */
export const holdWords = {
  paused: "held: the endpoint is paused",
  disabled: "held: the endpoint is disabled",
  breaker: "behind its open breaker",
  asked_to_wait: "held: their server asked for a pause",
} satisfies Record<RequeueHold, string>;

/** What is left as it is, and why: `3 superseded` would say little, so each is the count, then the sentence. */
export function leftWords({ refused, failed }: Pick<Requeue, "refused" | "failed">): string[] {
  return [
    ...refused.map(({ why, count }) => `${formatCount(count)}: ${requeueRefusalSentences[why]}`),
    ...failed.map(({ reason, count }) => `${formatCount(count)}: ${reasonSentences[reason]}`),
  ];
}
