import { isoOf, type Letters, lettersOf } from "./diagnosis/letters.ts";
import {
  type OutageThresholds,
  outageBuckets,
  outageFinding,
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
  /** So many, and on the latest day so many times the mean of the days before. */
  credentials: CredentialsThresholds;
  rateLimit: RateLimitThresholds;
  /** On so many days and on such a share of them, at most so many a day, and on no day so many times the mean. */
  slow: SlowThresholds;
  /** So many of one event type, and such a share of what the endpoint refuses. */
  refused: RefusedThresholds;
  /** So many, and such a share of what it got since; 410 needs neither. */
  moved: MovedThresholds;
  configuration: ConfigurationThresholds;
  /** At so many endpoints that took such a share of what they got in the hours around; and how many to tell of. */
  poison: PoisonThresholds;
};

export const defaultThresholds: Thresholds = {
  outage: { count: 50, withinMinutes: 60, share: 0.8 },
  credentials: { count: 5, rise: 2 },
  rateLimit: { count: 5 },
  slow: { days: 4, activeShare: 0.75, perDay: 20, unevenness: 3 },
  refused: { count: 5, share: 0.5 },
  moved: { count: 5, share: 0.5 },
  configuration: { count: 3 },
  poison: { endpoints: 2, aroundHours: 3, share: 0.5, most: 20 },
};

export type DiagnosisInput = {
  /** Of the window that is looked at, in any order. */
  groups: readonly DeadLetterGroup[];
  /** Of every endpoint that has dead letters; of one that is missing nothing is said. */
  histories: readonly EndpointHistory[];
  failingEvents: readonly FailingEvent[];
  nowMs: number;
};

/**
 * What the dead letters of a window say about their causes, and what to do; the most letters first. A letter is in the
 * evidence of one finding at most, and beside that in one about its event.
 */
export function diagnose(input: DiagnosisInput, thresholds: Thresholds = defaultThresholds): Finding[] {
  const histories = new Map(input.histories.map((history) => [history.endpointId, history]));
  const clusters = new Map<string, ReadonlySet<number>>();
  const findings: Finding[] = [];
  for (const [endpointId, groups] of Map.groupBy(input.groups, (group) => group.endpointId)) {
    const history = histories.get(endpointId);
    if (!history) continue;
    const letters = lettersOf(groups);
    const cluster = outageBuckets(letters, thresholds.outage);
    clusters.set(endpointId, cluster);
    findings.push(...endpointFindings({ history, letters, cluster, thresholds }));
  }
  const clusterOf = (endpointId: string) => clusters.get(endpointId) ?? new Set<number>();
  findings.push(
    ...poisonFindings(input.failingEvents, { histories, clusterOf, thresholds: thresholds.poison }),
  );
  return findings
    .map((finding) => notBeyond(finding, input.nowMs))
    .sort((a, b) => b.evidence.count - a.evidence.count || (findingKey(a) < findingKey(b) ? -1 : 1));
}

function endpointFindings(of: {
  history: EndpointHistory;
  letters: readonly Letters[];
  cluster: ReadonlySet<number>;
  thresholds: Thresholds;
}): Finding[] {
  const { history, letters, cluster, thresholds } = of;
  return [
    outageFinding(history, letters, cluster),
    slowFinding(history, letters, cluster, thresholds.slow),
    credentialsFinding(history, letters, thresholds.credentials),
    rateLimitFinding(history, letters, thresholds.rateLimit),
    ...refusedPayloadFindings(history, letters, thresholds.refused),
    movedFinding(history, letters, thresholds.moved),
    ...configurationFindings(history, letters, thresholds.configuration),
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
