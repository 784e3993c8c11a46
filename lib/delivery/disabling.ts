import type { Classification } from "./classify.ts";
import { isUnsent } from "./unsent.ts";

/** A row of failures that no success interrupts. Times null and counts 0 when the latest attempt succeeded. */
export type FailureRow = {
  sinceMs: number | null;
  latestMs: number | null;
  failures: number;
  /** The last warning given about this row, in days; 0 when none was. */
  warnedDays: number;
};

export const noFailures: FailureRow = { sinceMs: null, latestMs: null, failures: 0, warnedDays: 0 };

/** What ought to be done about an endpoint; whoever acts on it stores `warnedDays` with that. */
export type DisablingSignal = { kind: "warn"; days: 1 | 3 } | { kind: "disable"; days: 5 };

const dayMs = 86_400_000;
const failuresToDisable = 10;

/** The row after a batch of attempts, in the order they ended. An attempt for which nothing was sent says nothing. */
export function settleFailures(
  row: FailureRow,
  results: readonly Classification[],
  nowMs: number,
): FailureRow {
  let current = row;
  for (const { outcome, reason } of results) {
    if (outcome === "delivered") current = noFailures;
    else if (!isUnsent(reason)) {
      const sinceMs = current.sinceMs ?? nowMs;
      current = { ...current, sinceMs, latestMs: nowMs, failures: current.failures + 1 };
    }
  }
  return current;
}

/**
 * 5 days of nothing but failures, at least 10 of them, disable an endpoint; 1 and 3 days warn, once each. The
 * days lie between the first failure and the latest, so that an endpoint nothing is sent to is left alone.
 */
export function disablingSignal(row: FailureRow): DisablingSignal | null {
  if (row.sinceMs === null) return null;
  const days = ((row.latestMs ?? row.sinceMs) - row.sinceMs) / dayMs;
  if (days >= 5 && row.failures >= failuresToDisable) return { kind: "disable", days: 5 };
  const due = days >= 3 ? 3 : 1;
  return days >= due && row.warnedDays < due ? { kind: "warn", days: due } : null;
}

/** 410 Gone: the URL will never work again, so the endpoint is disabled at once and its owner told. */
export function disablesAtOnce(classification: Classification): boolean {
  return classification.reason === "gone";
}
