/** A percentile and how many samples it rests on; null when there are none. */
export type Percentile = { valueMs: number | null; samples: number };

const slowMs = 2_000;
const samplesToJudge = 20;
const slowingFactor = 5;
const slowingByMs = 500;
const verySlowMs = 5_000;
const failuresToOpen = 10;

/** The percentile where enough samples bear it out, else null. */
export function borneOut({ valueMs, samples }: Percentile): number | null {
  return samples >= samplesToJudge ? valueMs : null;
}

/** Flagged slow: P95 of 24 hours over 2 s, of at least 20 samples. */
export function isSlow(p95OfDay: Percentile): boolean {
  return (borneOut(p95OfDay) ?? 0) > slowMs;
}

/** Flagged slowing: latency rises before failure. P95 of the last hour against that of the last 7 days. */
export function isSlowing(p95: { hourMs: number | null; weekMs: number | null }): boolean {
  const hourMs = p95.hourMs ?? 0;
  const weekMs = p95.weekMs ?? Number.POSITIVE_INFINITY;
  return hourMs >= slowingFactor * weekMs && hourMs - weekMs >= slowingByMs;
}

/** Counted failures in a row that open an endpoint's breaker: half as many while its P95 is over 5 s. */
export function breakerThreshold(p95Ms: number | null): number {
  return (p95Ms ?? 0) > verySlowMs ? failuresToOpen / 2 : failuresToOpen;
}
