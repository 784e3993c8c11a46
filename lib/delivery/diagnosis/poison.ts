import type { Reason } from "#lib/vocabulary.ts";
import type { Lasts } from "./lasting.ts";
import { answersOf, isoOf, newestOf } from "./letters.ts";
import { isWithin, type Outage } from "./outage.ts";
import { bucketMs, type EndpointHistory, type FailingEvent, type Finding } from "./types.ts";

export type PoisonThresholds = {
  endpoints: number;
  aroundHours: number;
  share: number;
  lastingShare: number;
  most: number;
};

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
 * Events that fail wherever they go, while the same endpoints take others. No more than `most`: those that were found
 * before, then the earliest, so that none gives way to others. One that was found before lasts while a part of its letters
 * is put back, too, and its endpoints take as much as `lastingShare`, so that it does not come and go around the threshold.
 */
export function poisonFindings(
  events: readonly FailingEvent[],
  given: {
    histories: ReadonlyMap<string, EndpointHistory>;
    outagesOf: (endpointId: string) => readonly Outage[];
    lasts: Lasts;
    thresholds: PoisonThresholds;
  },
): Finding[] {
  const { histories, outagesOf, lasts, thresholds } = given;
  return events
    .map((event) => ({
      ...event,
      isLasting: lasts({ kind: "poison", ...event, count: event.letters.length }),
    }))
    .filter(({ letters, waiting, isLasting }) => {
      const { aroundHours, share, lastingShare } = thresholds;
      const around = { hours: aroundHours, share: isLasting ? lastingShare : share };
      return (
        (isLasting || (waiting === 0 && endpointsOf(letters) >= thresholds.endpoints)) &&
        letters.every(
          ({ endpointId, reason, endedAtMs }) =>
            poisonReasons.includes(reason) &&
            !isWithin(outagesOf(endpointId), Math.floor(endedAtMs / bucketMs)) &&
            takesOthers(histories.get(endpointId), endedAtMs, around),
        )
      );
    })
    .sort(
      (a, b) =>
        Number(b.isLasting) - Number(a.isLasting) ||
        firstOf(a) - firstOf(b) ||
        (a.eventId < b.eventId ? -1 : 1),
    )
    .slice(0, thresholds.most)
    .map(toFinding);
}

function endpointsOf(letters: FailingEvent["letters"]): number {
  return new Set(letters.map(({ endpointId }) => endpointId)).size;
}

/** Most of what the endpoint got around that time was delivered. */
function takesOthers(
  history: EndpointHistory | undefined,
  atMs: number,
  around: { hours: number; share: number },
): boolean {
  let [attempts, delivered] = [0, 0];
  for (const hour of history?.hours ?? []) {
    if (Math.abs(hour.atMs + 1_800_000 - atMs) > (around.hours + 0.5) * 3_600_000) continue;
    attempts += hour.attempts;
    delivered += hour.delivered;
  }
  return delivered > 0 && delivered >= around.share * attempts;
}

function toFinding({ eventId, eventType, affiliateId, letters, waiting }: FailingEvent): Finding {
  const endpoints = endpointsOf(letters);
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
    sentence:
      waiting === 0
        ? `One event of ${eventType} fails at all ${endpoints} endpoints that it went to, which take other events.`
        : `One event of ${eventType} failed wherever it went, at endpoints that take other events; at some it is to go once more.`,
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
