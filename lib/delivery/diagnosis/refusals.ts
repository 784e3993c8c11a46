import type { FindingKind, Reason } from "#lib/vocabulary.ts";
import { deliveredSince, gentleRate } from "./advice.ts";
import type { Lasts } from "./lasting.ts";
import {
  countOf,
  deliveriesWords,
  evidenceOf,
  filterFor,
  type Letters,
  latestRun,
  spanOf,
} from "./letters.ts";
import {
  bucketMs,
  type EndpointHistory,
  type Finding,
  type RemedyAction,
  type SettingName,
} from "./types.ts";

export type CredentialsThresholds = { count: number; rise: number; ofTaken: number };
export type RateLimitThresholds = { count: number; ofTaken: number };
export type RefusedThresholds = { count: number; share: number; ofTaken: number };
export type MovedThresholds = { count: number; share: number };
export type ConfigurationThresholds = { count: number };

const dayMs = 86_400_000;

/** `was`: of what concerns all that the endpoint gets, so that it is over once something gets through. */
type ConfigurationRemedy = { what: string; was?: string; remedy: string; setting: SettingName };
const configurationRemedies: Partial<Record<Reason, ConfigurationRemedy>> = {
  blocked_address: {
    what: "The address lies in a network that Posthorn may not reach",
    was: "The address lay in a network that Posthorn may not reach",
    remedy: "Give the endpoint a public address, or have the subnet allowed, then put these back.",
    setting: "url",
  },
  certificate_invalid: {
    what: "Their certificate is not valid",
    was: "Their certificate was not valid",
    remedy: "Ask them to renew or correct their certificate, then put these back.",
    setting: "url",
  },
  unsafe_path_value: {
    what: "A value would change the path of the template's URL",
    remedy: "Give the macro a default or move it into the query, then render these again.",
    setting: "template",
  },
  unmapped_value: {
    what: "The template's functions have no result for a value",
    remedy: "Add the value to the map, then render these again.",
    setting: "template",
  },
  url_too_long: {
    what: "The URL comes out too long",
    remedy: "Send fewer or shorter values, or use POST with a body, then render these again.",
    setting: "template",
  },
  body_too_long: {
    what: "The body comes out too long",
    remedy: "Send fewer or shorter values, then render these again.",
    setting: "template",
  },
  secret_missing: {
    what: "The template needs a secret that the endpoint does not have",
    was: "The template needed a secret that the endpoint did not have",
    remedy: "Give the endpoint a secret of that name, then put these back.",
    setting: "credentials",
  },
};

const ofReasons = (letters: readonly Letters[], reasons: readonly Reason[]) =>
  letters.filter(({ reason }) => reasons.includes(reason));

/**
 * 401 and 403: nothing but them any more, or more of them than before. The latter not where they are next to nothing of what
 * the endpoint takes at the same time: that is a matter of single events.
 */
export function credentialsFinding(
  history: EndpointHistory,
  letters: readonly Letters[],
  { thresholds, lasts, nowMs }: { thresholds: CredentialsThresholds; lasts: Lasts; nowMs: number },
): Finding | null {
  const refused = ofReasons(letters, ["unauthorized", "forbidden"]);
  const count = countOf(refused);
  const isLasting = lasts({ kind: "credentials", count });
  if (count < thresholds.count && !isLasting) return null;
  const inRow = countOf(sinceSuccess(history, refused));
  const silent = inRow >= thresholds.count || (isLasting && inRow === count);
  const rising =
    !silent &&
    isRising(refused, { thresholds, nowMs }) &&
    (inRow > 0 || isFrequent(history, refused, thresholds));
  if (!silent && !rising && !isLasting) return null;
  return findingOf(history, refused, {
    kind: "credentials",
    sentence: silent
      ? `Their server refuses our credentials: ${deliveriesWords(inRow)} were given up, and nothing has got through since the first of them.`
      : rising
        ? `Their server refuses our credentials more and more: ${deliveriesWords(latestDayOf(refused, nowMs))} within the last 24 hours.`
        : `Their server refused our credentials: ${deliveriesWords(count)} were given up, while others got through.`,
    remedy: "Update the endpoint's credentials, then put these back.",
    setting: "credentials",
  });
}

/** Those of the stretches that began since anything got through. */
function sinceSuccess({ lastSuccessAtMs }: EndpointHistory, letters: readonly Letters[]): Letters[] {
  return letters.filter(({ bucket }) => lastSuccessAtMs === null || bucket * bucketMs > lastSuccessAtMs);
}

/** The last 24 hours against the mean of the days before them since the first, also those without any. */
function isRising(
  letters: readonly Letters[],
  { thresholds: { count, rise }, nowMs }: { thresholds: CredentialsThresholds; nowMs: number },
): boolean {
  const latest = latestDayOf(letters, nowMs);
  const daysBefore = (nowMs - spanOf(letters).firstAtMs) / dayMs - 1;
  const perDayBefore = (countOf(letters) - latest) / Math.max(1, daysBefore);
  return latest >= count && latest >= rise * perDayBefore;
}

function latestDayOf(letters: readonly Letters[], nowMs: number): number {
  return countOf(letters.filter(({ bucket }) => bucket * bucketMs >= nowMs - dayMs));
}

/** 429 until the attempts were used up. */
export function rateLimitFinding(
  history: EndpointHistory,
  letters: readonly Letters[],
  { thresholds, lasts }: { thresholds: RateLimitThresholds; lasts: Lasts },
): Finding | null {
  const refused = ofReasons(letters, ["rate_limited"]);
  const count = countOf(refused);
  const isPattern = count >= thresholds.count && isFrequent(history, refused, thresholds);
  if (!isPattern && !lasts({ kind: "rate_limit", count })) return null;
  const rate = gentleRate(
    history,
    new Set(refused.map(({ bucket }) => Math.floor((bucket * bucketMs) / 3_600_000))),
  );
  const isLow = history.rateLimit !== null && rate === null;
  const limit =
    history.rateLimit === null
      ? "no rate limit is set"
      : isLow
        ? "the rate limit that is set now is below what they took"
        : "the rate limit that is set is too high";
  return findingOf(history, refused, {
    kind: "rate_limit",
    sentence: `Their server says that we send too fast: ${deliveriesWords(count)} were refused to the last attempt, and ${limit}.`,
    remedy:
      history.rateLimit === null
        ? "Set a rate limit below what they take, then put these back."
        : isLow
          ? "Put these back: they go out within the limit. Lower it where they are refused again."
          : "Lower the rate limit, then put these back.",
    actions: rate ? [{ kind: "set_rate_limit", rate_limit: rate }] : [],
    setting: "rate_limit",
  });
}

/** Whether the latest of them are such a share of what the endpoint took in the same hours. */
function isFrequent(
  { hours }: EndpointHistory,
  letters: readonly Letters[],
  { count, ofTaken }: { count: number; ofTaken: number },
): boolean {
  const run = latestRun(letters, count);
  const taken = deliveredSince(hours, run.sinceMs) - deliveredSince(hours, spanOf(letters).endsAtMs);
  return run.count >= ofTaken * (run.count + taken);
}

/** 400, 413, 415 and 422, most of them for one event type: one finding for each type that holds so many of them. */
export function refusedPayloadFindings(
  history: EndpointHistory,
  letters: readonly Letters[],
  { thresholds, lasts }: { thresholds: RefusedThresholds; lasts: Lasts },
): Finding[] {
  const refused = ofReasons(letters, ["bad_request", "payload_refused"]);
  const all = countOf(refused);
  return [...Map.groupBy(refused, ({ eventType }) => eventType)].flatMap(([eventType, ofType]) => {
    const count = countOf(ofType);
    const isPattern =
      count >= thresholds.count && count >= thresholds.share * all && isFrequent(history, ofType, thresholds);
    if (!isPattern && !lasts({ kind: "refused_payload", eventType, count })) return [];
    return findingOf(history, ofType, {
      kind: "refused_payload",
      eventType,
      sentence: `Their server refuses the payload of ${eventType}: ${deliveriesWords(count)} were given up at once.`,
      remedy:
        "Compare what was sent with what they expect: the event type's fields or the endpoint's template do not suit them. Once corrected, render these again.",
      actions: [{ kind: "open_event_type", event_type: eventType }],
      setting: "template",
    });
  });
}

/**
 * 404, 410 and redirects, unless something got through since: a server that also takes much has a 404 for some of it,
 * which is another matter, and one that takes all again has not moved.
 */
export function movedFinding(
  history: EndpointHistory,
  letters: readonly Letters[],
  { thresholds, lasts }: { thresholds: MovedThresholds; lasts: Lasts },
): Finding | null {
  const moved = ofReasons(letters, ["gone", "redirect", "not_found"]);
  const count = countOf(moved);
  if (count === 0) return null;
  const isGone = isStillGone(history, ofReasons(moved, ["gone"]));
  const run = latestRun(moved, thresholds.count);
  const delivered = deliveredSince(history.hours, run.sinceMs);
  const isMoved = run.count >= thresholds.share * (run.count + delivered);
  const isMany = count >= thresholds.count || lasts({ kind: "moved", count });
  if (!isGone && !(isMany && isMoved)) return null;
  const redirects = countOf(ofReasons(moved, ["redirect"])) * 2 > count;
  const what = isGone
    ? "Their server says that this URL is gone for good"
    : redirects
      ? "Their server answers with redirects, which are never followed"
      : "Their server has nothing at this URL";
  return findingOf(history, moved, {
    kind: "moved",
    sentence: `${what}: ${deliveriesWords(count)} were given up.`,
    remedy: redirects
      ? "Set the URL to the address that the redirect names, then put these back."
      : "Ask for the new URL, update the endpoint, then put these back.",
    setting: "url",
  });
}

/** One 410 suffices, until something gets through again. */
function isStillGone({ lastSuccessAtMs }: EndpointHistory, gone: readonly Letters[]): boolean {
  return gone.length > 0 && (lastSuccessAtMs === null || lastSuccessAtMs < spanOf(gone).endsAtMs);
}

/** A blocked address, a certificate, or a template that cannot be rendered: one finding for each reason. */
export function configurationFindings(
  history: EndpointHistory,
  letters: readonly Letters[],
  { thresholds, lasts }: { thresholds: ConfigurationThresholds; lasts: Lasts },
): Finding[] {
  return [...Map.groupBy(letters, ({ reason }) => reason)].flatMap(([reason, ofReason]) => {
    const known = configurationRemedies[reason];
    const count = countOf(ofReason);
    if (!known) return [];
    if (count < thresholds.count && !lasts({ kind: "configuration", reason, count })) return [];
    const { what, was, setting } = known;
    const isOver = was !== undefined && (history.lastSuccessAtMs ?? 0) >= spanOf(ofReason).endsAtMs;
    return findingOf(history, ofReason, {
      kind: "configuration",
      reason,
      sentence: isOver
        ? `${was}: ${deliveriesWords(count)} were given up at once. Others have got through since.`
        : `${what}: ${deliveriesWords(count)} were given up at once.`,
      remedy: isOver ? "Put these back." : known.remedy,
      setting,
    });
  });
}

function findingOf(
  { affiliateId, endpointId }: EndpointHistory,
  letters: readonly Letters[],
  given: Pick<Finding, "sentence" | "remedy"> & {
    kind: FindingKind;
    eventType?: string;
    reason?: Reason;
    setting: SettingName;
    actions?: RemedyAction[];
  },
): Finding {
  const { kind, eventType, reason, sentence, remedy, setting, actions = [] } = given;
  return {
    kind,
    affiliateId,
    endpointId,
    eventType: eventType ?? null,
    eventId: null,
    reason: reason ?? null,
    run: null,
    evidence: evidenceOf(letters),
    sentence,
    remedy,
    actions: [
      ...actions,
      { kind: "open_setting", setting },
      {
        kind: "requeue",
        // What the template made of them is what was refused.
        mode: setting === "template" ? "render_again" : "same_url",
        filter: filterFor(endpointId, letters, eventType === undefined ? {} : { eventType }),
      },
    ],
  };
}
