import type { Reason } from "#lib/vocabulary.ts";
import { answersOf, isoOf, newestOf } from "./letters.ts";
import { isWithin, type Outage } from "./outage.ts";
import { bucketMs, type EndpointHistory, type FailingEvent, type Finding } from "./types.ts";

export type PoisonThresholds = { endpoints: number; aroundHours: number; share: number; most: number };

/** What an event itself can be the cause of: somebody looked at it and would not have it, or it could not be sent. */
export const poisonReasons: readonly Reason[] = [
  "bad_request",
  "payload_refused",
  "client_error",
  "server_error",
  "rejected_by_response",
  "unsafe_path_value",
  "unmapped_value",
  "url_too_long",
  "body_too_long",
];

/**
 * Events that fail wherever they go, while the same endpoints take others: the earliest come first, and no more than
 * `most`, so that which are shown does not change as more come.
 */
export function poisonFindings(
  events: readonly FailingEvent[],
  given: {
    histories: ReadonlyMap<string, EndpointHistory>;
    outagesOf: (endpointId: string) => readonly Outage[];
    thresholds: PoisonThresholds;
  },
): Finding[] {
  const { histories, outagesOf, thresholds } = given;
  return events
    .filter(({ letters }) => {
      const endpoints = new Set(letters.map(({ endpointId }) => endpointId));
      return (
        endpoints.size >= thresholds.endpoints &&
        letters.every(
          ({ endpointId, reason, endedAtMs }) =>
            poisonReasons.includes(reason) &&
            !isWithin(outagesOf(endpointId), Math.floor(endedAtMs / bucketMs)) &&
            takesOthers(histories.get(endpointId), endedAtMs, thresholds),
        )
      );
    })
    .sort((a, b) => firstOf(a) - firstOf(b) || (a.eventId < b.eventId ? -1 : 1))
    .slice(0, thresholds.most)
    .map(toFinding);
}

/** Most of what the endpoint got around that time was delivered. */
function takesOthers(
  history: EndpointHistory | undefined,
  atMs: number,
  { aroundHours, share }: PoisonThresholds,
): boolean {
  let [attempts, delivered] = [0, 0];
  for (const hour of history?.hours ?? []) {
    if (Math.abs(hour.atMs + 1_800_000 - atMs) > (aroundHours + 0.5) * 3_600_000) continue;
    attempts += hour.attempts;
    delivered += hour.delivered;
  }
  return delivered > 0 && delivered >= share * attempts;
}

function toFinding({ eventId, eventType, affiliateId, letters }: FailingEvent): Finding {
  const endpoints = new Set(letters.map(({ endpointId }) => endpointId)).size;
  const counted = letters.map(({ reason, status }) => ({ reason, status, count: 1 }));
  return {
    kind: "poison",
    affiliateId,
    endpointId: null,
    eventType,
    eventId,
    reason: null,
    run: null,
    evidence: {
      count: letters.length,
      most: letters.length,
      first_at: isoOf(Math.min(...letters.map(({ endedAtMs }) => endedAtMs))),
      last_at: isoOf(Math.max(...letters.map(({ endedAtMs }) => endedAtMs))),
      samples: newestOf(letters.map(({ deliveryId }) => deliveryId)),
      answers: answersOf(counted),
      endpoints,
    },
    sentence: `One event of ${eventType} fails at all ${endpoints} endpoints that it went to, which take other events.`,
    remedy: "Look at the event: correct what publishes such data, then publish it again under a new id.",
    actions: [
      { kind: "open_event", event: eventId },
      { kind: "open_event_type", event_type: eventType },
    ],
  };
}

function firstOf({ letters }: FailingEvent): number {
  return Math.min(...letters.map(({ endedAtMs }) => endedAtMs));
}
