import { type Finding, findingKey } from "./types.ts";

export type LastingThresholds = { share: number };

/**
 * Whether a finding of an endpoint lasts with so many letters left, though they do not make the pattern any more: it was
 * found before, and more than a share of the most that it had are still there.
 */
export type Lasts = (
  left: Pick<Finding, "kind"> &
    Partial<Pick<Finding, "eventType" | "eventId" | "reason" | "run">> & { count: number },
) => boolean;

/** What was found before, by its key. */
export type OpenFindings = ReadonlyMap<string, Finding>;

/** Null for an endpoint: of those about one event. */
export function lastsAt(endpointId: string | null, open: OpenFindings, { share }: LastingThresholds): Lasts {
  return ({ count, kind, eventType = null, eventId = null, reason = null, run = null }) => {
    const before = open.get(findingKey({ kind, endpointId, eventType, eventId, reason, run }));
    return before !== undefined && count > share * before.evidence.most;
  };
}

/** With the most letters that it has had since it appeared. */
export function withMost(finding: Finding, open: OpenFindings): Finding {
  const before = open.get(findingKey(finding))?.evidence.most ?? 0;
  const { evidence } = finding;
  return { ...finding, evidence: { ...evidence, most: Math.max(before, evidence.count) } };
}
