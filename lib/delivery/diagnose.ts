import {
  type LastingThresholds,
  type Lasts,
  lastsAt,
  type OpenFindings,
  withMost,
} from "./diagnosis/lasting.ts";
import { isoOf, type Letters, lettersOf } from "./diagnosis/letters.ts";
import {
  type Outage,
  type OutageThresholds,
  outageFinding,
  outagesOf,
  type SlowThresholds,
  slowFinding,
} from "./diagnosis/outage.ts";
import { type PoisonThresholds, poisonFindings } from "./diagnosis/poison.ts";
import {
  type ConfigurationThresholds,
  type CredentialsThresholds,
  configurationFindings,
  credentialsFinding,
  type MovedThresholds,
  movedFinding,
  type RateLimitThresholds,
  type RefusedThresholds,
  rateLimitFinding,
  refusedPayloadFindings,
} from "./diagnosis/refusals.ts";
import {
  type DeadLetterGroup,
  type EndpointHistory,
  type FailingEvent,
  type Finding,
  findingKey,
} from "./diagnosis/types.ts";

export type Thresholds = {
  /** So many of one endpoint within so long, and such a share of them an outage's. */
  outage: OutageThresholds;
  /**
   * So many since anything got through, or in the last 24 hours and so many times the mean of the days before; then the latest
   * also such a share of what was taken in the same hours, unless nothing got through since.
   */
  credentials: CredentialsThresholds;
  /** So many, and the latest such a share of what was taken in the same hours. */
  rateLimit: RateLimitThresholds;
  /** On so many days and on such a share of them, at most so many a day, and on no day so many times the mean. */
  slow: SlowThresholds;
  /** So many of one event type, such a share of what the endpoint refuses, and of what it took in the same hours. */
  refused: RefusedThresholds;
  /** So many, and such a share of what it got since the latest so many; a 410 after which nothing got through needs neither. */
  moved: MovedThresholds;
  configuration: ConfigurationThresholds;
  /**
   * At so many endpoints that took such a share of what they got in the hours around; once found, the lesser share; and how
   * many to tell of.
   */
  poison: PoisonThresholds;
  /** A finding lasts, pattern or not, while more than such a share of the most letters that it had is left. */
  lasting: LastingThresholds;
};

export const defaultThresholds: Thresholds = {
  outage: { count: 50, withinMinutes: 60, share: 0.8 },
  credentials: { count: 5, rise: 2, ofTaken: 0.001 },
  rateLimit: { count: 5, ofTaken: 0.001 },
  slow: { days: 4, activeShare: 0.75, perDay: 20, unevenness: 3 },
  refused: { count: 5, share: 0.5, ofTaken: 0.001 },
  moved: { count: 5, share: 0.5 },
  configuration: { count: 3 },
  poison: { endpoints: 2, aroundHours: 3, share: 0.5, lastingShare: 0.25, most: 20 },
  lasting: { share: 0.1 },
};

export type DiagnosisInput = {
  /** Of the window that is looked at, in any order. */
  groups: readonly DeadLetterGroup[];
  /** Of the endpoints in question; of one that is missing nothing is said. */
  histories: readonly EndpointHistory[];
  failingEvents: readonly FailingEvent[];
  /** What was found the last time and has not ended. */
  open: readonly Finding[];
  nowMs: number;
};

/**
 * The endpoints of which something can be said: with as many letters as any finding needs, or a 410, and those of failing
 * events and of what was found before. The histories of the others need not be read.
 */
export function endpointsInQuestion(
  { groups, failingEvents, open }: Pick<DiagnosisInput, "groups" | "failingEvents" | "open">,
  thresholds: Thresholds = defaultThresholds,
): string[] {
  const { outage, credentials, rateLimit, slow, refused, moved, configuration } = thresholds;
  const fewest = Math.min(
    outage.count * outage.share,
    slow.days,
    ...[credentials, rateLimit, refused, moved, configuration].map(({ count }) => count),
  );
  const ids = new Set<string>();
  for (const [endpointId, of] of Map.groupBy(groups, (group) => group.endpointId)) {
    const count = of.reduce((sum, { buckets }) => buckets.reduce((inner, one) => inner + one.count, sum), 0);
    if (count >= fewest || of.some(({ reason }) => reason === "gone")) ids.add(endpointId);
  }
  for (const { letters } of failingEvents) for (const { endpointId } of letters) ids.add(endpointId);
  for (const { endpointId } of open) if (endpointId !== null) ids.add(endpointId);
  return [...ids];
}

/**
 * What the dead letters of a window say about their causes, and what to do; the most letters first. A letter is in the
 * evidence of one finding at most, and beside that in one about its event. What was found before lasts until nearly all of
 * its letters are gone: being put back it would else end, and come again, as they pass the thresholds.
 */
export function diagnose(input: DiagnosisInput, thresholds: Thresholds = defaultThresholds): Finding[] {
  const histories = new Map(input.histories.map((history) => [history.endpointId, history]));
  const open: OpenFindings = new Map(input.open.map((finding) => [findingKey(finding), finding]));
  const outagesAt = new Map<string, readonly Outage[]>();
  const findings: Finding[] = [];
  for (const [endpointId, groups] of Map.groupBy(input.groups, (group) => group.endpointId)) {
    const history = histories.get(endpointId);
    if (!history) continue;
    const letters = lettersOf(groups);
    const lasts = lastsAt(endpointId, open, thresholds.lasting);
    const outages = outagesOf(letters, { endpointId, open, lasts, thresholds: thresholds.outage });
    outagesAt.set(endpointId, outages);
    findings.push(
      ...endpointFindings({ history, letters, outages, open, lasts, thresholds, nowMs: input.nowMs }),
    );
  }
  findings.push(
    ...poisonFindings(input.failingEvents, {
      histories,
      outagesOf: (endpointId) => outagesAt.get(endpointId) ?? [],
      lasts: lastsAt(null, open, thresholds.lasting),
      thresholds: thresholds.poison,
    }),
  );
  return findings
    .map((finding) => withMost(notBeyond(finding, input.nowMs), open))
    .sort((a, b) => b.evidence.count - a.evidence.count || (findingKey(a) < findingKey(b) ? -1 : 1));
}

function endpointFindings(of: {
  history: EndpointHistory;
  letters: readonly Letters[];
  outages: readonly Outage[];
  open: OpenFindings;
  lasts: Lasts;
  thresholds: Thresholds;
  nowMs: number;
}): Finding[] {
  const { history, letters, outages, open, lasts, thresholds, nowMs } = of;
  return [
    ...outages.map((outage) => outageFinding(history, letters, outage)),
    slowFinding(history, letters, { outages, open, lasts, thresholds: thresholds.slow }),
    credentialsFinding(history, letters, { thresholds: thresholds.credentials, lasts, nowMs }),
    rateLimitFinding(history, letters, { thresholds: thresholds.rateLimit, lasts }),
    ...refusedPayloadFindings(history, letters, { thresholds: thresholds.refused, lasts }),
    movedFinding(history, letters, { thresholds: thresholds.moved, lasts }),
    ...configurationFindings(history, letters, { thresholds: thresholds.configuration, lasts }),
  ].filter((finding) => finding !== null);
}

/** The stretch that is under way ends now. */
function notBeyond(finding: Finding, nowMs: number): Finding {
  const { evidence } = finding;
  if (Date.parse(evidence.last_at) <= nowMs) return finding;
  return {
    ...finding,
    evidence: { ...evidence, last_at: isoOf(Math.max(nowMs, Date.parse(evidence.first_at))) },
  };
}
